package locktest

import (
	"errors"
	"flag"
	"fmt"
	"regexp"
	"slices"
	"testing"
	"time"

	"lockstep/internal/trial"
	"lockstep/sim"
	"lockstep/sim/explore"
	"lockstep/sim/history"
)

// An Option changes what Check does.
type Option func(*options)

type options struct {
	plan   trial.Plan
	says   says
	limit  time.Duration // real time for all hazards
	err    error
	strict bool
	path   string // of a lock on ZooKeeper
	// unlisted marks a lock that no Check tries.
	unlisted bool
	unfit    error // why the factory failed
}

// settle completes the plan when all options have been read.
func (o *options) settle() {
	if o.path != "" {
		o.onZooKeeper()
	} else if o.plan.Addresses > 0 {
		o.fail("Addresses: %d, and the lock is on Redis; use Nodes, or say with ZooKeeper where the lock is", o.plan.Addresses)
	}
	if o.strict {
		o.plan.Contract = slices.DeleteFunc(o.plan.Contract, func(a trial.Allowance) bool { return !a.Own })
	}
}

// The timeouts of sessions that the ensemble agrees to, by its defaults.
const shortSession, longSession = 4 * history.Second, 40 * history.Second

func (o *options) onZooKeeper() {
	p := &o.plan
	switch {
	case p.Key != "":
		o.fail("Key: %q, and ZooKeeper: %q; use ZooKeeper for a lock on ZooKeeper, Key for one on Redis", p.Key, o.path)
	case p.Nodes > 1:
		o.fail("Nodes: %d, and the lock is on ZooKeeper, which is one ensemble; use Addresses", p.Nodes)
	case p.Retries > 0:
		o.fail("Retries: %d, and the lock is on ZooKeeper; only go-redis retries commands", p.Retries)
	case p.Goroutines:
		o.fail("Goroutines: %d, and the lock is on ZooKeeper; use it for a lock on Redis", p.Clients)
	case p.TTL != 0 && (p.TTL < shortSession || p.TTL > longSession):
		o.fail("TTL: %v; a session lasts %v to %v", p.TTL, shortSession, longSession)
	}
	p.Server, p.Key, p.Addresses = sim.ZooKeeper, o.path, max(p.Addresses, 1)
	own := slices.DeleteFunc(p.Contract, func(a trial.Allowance) bool { return !a.Own })
	p.Contract = append(trial.Contract(p.Server), own...)
}

// znode matches the path of a znode that is not the root.
var znode = regexp.MustCompile(`^(/[\w.:-]*[\w:-])+$`)

func defaults() options { return options{plan: trial.Usual(), limit: 30 * time.Second} }

var long = flag.Bool("lockstep.long", false, "locktest.Check explores deeper: one more fault, time passes twice more, one more round; for ten times as long")

// deepen applies -lockstep.long within the time limit of go test.
func (o *options) deepen(t *testing.T) {
	o.plan.Deepen()
	o.limit *= 10
	if end, ok := t.Deadline(); ok {
		o.limit = min(o.limit, time.Until(end)*9/10)
	}
}

// Hazards limits the trial to some hazards.
func Hazards(hazards ...Hazard) Option {
	return func(o *options) {
		o.plan.Hazards = nil
		for _, h := range hazards {
			if _, ok := explore.FindHazard(h.String()); !ok {
				o.fail("Hazards: %v is no hazard", h)
			}
			o.plan.Hazards = append(o.plan.Hazards, h.String())
		}
	}
}

// RefusedBy lists errors of Lock that mean that another client holds the lock,
// as ErrNotAcquired does.
func RefusedBy(errs ...error) Option {
	return func(o *options) { o.says.refused = append(o.says.refused, o.listed("RefusedBy", errs)...) }
}

// RefusedIf does so for errors that a function accepts, such as OfType[*Taken].
func RefusedIf(is func(error) bool) Option {
	return func(o *options) {
		if is == nil {
			o.fail("RefusedIf: nil; use a function such as locktest.OfType[*Taken]")
		}
		o.says.refused = append(o.says.refused, &listed{name: fmt.Sprintf("number %d of the refusals", len(o.says.refused)+1), is: is})
	}
}

// LostBy lists errors of Unlock that mean that the lock was no longer held, as
// ErrLost does.
func LostBy(errs ...error) Option {
	return func(o *options) { o.says.lost = append(o.says.lost, o.listed("LostBy", errs)...) }
}

// OfType reports whether an error, or one that it wraps, is of a type.
func OfType[E error](err error) bool {
	_, is := errors.AsType[E](err)
	return is
}

// Clients sets the number of clients: 2 by default, 5 at most.
func Clients(n int) Option {
	return bounded("Clients", n, 1, trial.MaxClients, func(o *options) { o.plan.Clients = n })
}

// Goroutines lets the lock be taken by n goroutines of one process instead of by
// processes: 2 to 5. The Factory is called once, and the goroutines share what it
// returns and all that it refers to, as package variables, a mutex, the go-redis
// client and Client.Name; see PerGoroutine. The invariants are about goroutines:
// each owns what its own calls have acquired. A crash ends them all, and what else
// happens to a process or its work happens to the first one's.
func Goroutines(n int) Option {
	return bounded("Goroutines", n, 2, trial.MaxClients, func(o *options) {
		o.plan.Clients, o.plan.Goroutines = n, true
		o.plan.Contract = append(o.plan.Contract, trial.OfGoroutines()...)
	})
}

// Rounds sets how often each client acquires, works and releases: 1 by default.
func Rounds(n int) Option {
	return bounded("Rounds", n, 1, trial.MaxRounds, func(o *options) { o.plan.Rounds = n })
}

// Nodes sets the number of independent Redis nodes that the lock uses: 1 by
// default. A lock on several nodes is assumed to need a majority.
func Nodes(n int) Option {
	return bounded("Nodes", n, 1, trial.MaxNodes, func(o *options) { o.plan.Nodes = n })
}

// ZooKeeper says that the lock uses ZooKeeper, by Client.ZooKeeper, and not Redis,
// and at which path. The invariants are about the ephemeral nodes there and below.
// The ensemble is empty at first: it has no parent of the path either.
func ZooKeeper(path string) Option {
	return func(o *options) {
		if !znode.MatchString(path) {
			o.fail("ZooKeeper: %q is not the path of a lock; use one such as /locks/stock", path)
		}
		o.path = path
	}
}

// Addresses sets how many addresses of ZooKeeper servers the lock's client gets: 1
// by default, or 3. The client tries one after the other, always in the same order.
// With one, it waits a second before it connects again; with three, it first tries
// the next one at once. They are the addresses of one ensemble, which fails as a
// whole: no schedule has a server of its own down.
func Addresses(n int) Option {
	return func(o *options) {
		if n != 1 && n != 3 {
			o.fail("Addresses: %d; use 1 or 3", n)
		}
		o.plan.Addresses = n
	}
}

// Retries sets how often go-redis retries a failed command: 0 by default here,
// since each retry adds states, and 3 by its own default.
func Retries(n int) Option {
	return bounded("Retries", n, 0, trial.MaxRetries, func(o *options) { o.plan.Retries = n })
}

// TTL sets the length of a lease, or of a session with ZooKeeper after its client
// was last heard: 5 s by default.
func TTL(d time.Duration) Option {
	return func(o *options) { o.plan.TTL = history.Millis(d.Milliseconds()) }
}

// Work sets how long the work takes under LongWork: three leases by default.
func Work(d time.Duration) Option {
	return func(o *options) {
		if o.plan.Work = history.Millis(d.Milliseconds()); o.plan.Work <= 0 || o.plan.Work > history.MaxTime {
			o.fail("Work: %v; use 1ms to %v", d, history.MaxTime)
		}
	}
}

// Key names the lock's key in Redis if its acquisitions write several, and not the Client's
// Key. The invariants are about that key. The Client's Key stays as it is.
func Key(key string) Option { return func(o *options) { o.plan.Key = key } }

// Limit bounds the real time of Check: 30 s by default. A hazard that is not
// finished by then is INCONCLUSIVE, unless a violation was found.
func Limit(d time.Duration) Option { return func(o *options) { o.limit = d } }

// AcceptSampled accepts a hazard that is too large to explore and was sampled
// instead, and says why. Without it the test fails.
func AcceptSampled(why string) Option {
	return func(o *options) {
		if why == "" {
			o.fail("AcceptSampled: say why")
		}
		o.plan.AcceptSampled = why
	}
}

// Allow adds an exception to the lock's contract: an invariant may be violated
// under a hazard, for a reason. The test reports an allowed violation and does
// not fail. An allowance that no violation needs is an error.
func Allow(invariant Invariant, why string, hazard Hazard) Option {
	return func(o *options) {
		if _, ok := explore.FindHazard(hazard.String()); !ok || !slices.Contains(history.Invariants(), invariant.String()) {
			o.fail("Allow: %v under %v: there is no such invariant or hazard", invariant, hazard)
		}
		if why == "" {
			o.fail("Allow: %v under %v: say why", invariant, hazard)
		}
		o.plan.Contract = append(o.plan.Contract, trial.Allowance{Invariant: invariant.String(), Hazard: hazard.String(), Why: why, Own: true})
	}
}

// Strict drops the exceptions of the default contract, which no lease or session
// can avoid: only what Allow adds remains.
func Strict() Option { return func(o *options) { o.strict = true } }

func bounded(name string, n, least, most int, set func(*options)) Option {
	return func(o *options) {
		if n < least || n > most {
			o.fail("%s: %d; use %d to %d", name, n, least, most)
		}
		set(o)
	}
}

// fail keeps the first error.
func (o *options) fail(format string, args ...any) {
	if o.err == nil {
		o.err = fmt.Errorf(format, args...)
	}
}
