package locktest

import (
	"flag"
	"fmt"
	"slices"
	"testing"
	"time"

	"lockstep/internal/trial"
	"lockstep/sim/bubble"
	"lockstep/sim/explore"
	"lockstep/sim/history"
	"lockstep/sim/program"
)

// An Option changes what Check does.
type Option func(*options)

type options struct {
	plan  trial.Plan
	says  says
	limit time.Duration // real time, for everything
	err   error
	// unlisted is a lock that no Check tries.
	unlisted bool
	unfit    error // why the factory has made no lock
}

func defaults() options { return options{plan: trial.Usual(), limit: 2 * time.Minute} }

var long = flag.Bool("lockstep.long", false, "locktest.Check explores deeper: one more fault, time passes twice more, one more round; for ten times as long")

// deepen is for -lockstep.long. go test ends a test at its own time limit.
func (o *options) deepen(t *testing.T) {
	o.plan.Deepen()
	o.limit *= 10
	if end, ok := t.Deadline(); ok {
		o.limit = min(o.limit, time.Until(end)*9/10)
	}
}

// subject is the lock as a world takes it, whose clients start so.
func (o *options) subject(start func(history.Config, program.Subject, string) program.Code) program.Subject {
	return program.Subject{Nodes: o.plan.Nodes, Key: o.plan.Key, Start: start}
}

// Hazards are those under which the lock is tried, in place of all of them.
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

// RefusedBy lists the errors by which Lock says that somebody else has the lock, as
// ErrNotAcquired does.
func RefusedBy(errs ...error) Option { return func(o *options) { o.says.refused = errs } }

// LostBy lists the errors by which Unlock says that the lock was no longer held, as
// ErrLost does.
func LostBy(errs ...error) Option { return func(o *options) { o.says.lost = errs } }

// Clients says how many clients want the lock: 2 by default, 5 at most.
func Clients(n int) Option {
	return bounded("Clients", n, 1, 5, func(o *options) { o.plan.Clients = n })
}

// Rounds says how often each client acquires, works and releases: 1 by default.
func Rounds(n int) Option { return bounded("Rounds", n, 1, 10, func(o *options) { o.plan.Rounds = n }) }

// Nodes says how many independent Redis nodes the lock uses: 1 by default. A
// lock on several is taken to need a majority of them.
func Nodes(n int) Option { return bounded("Nodes", n, 1, 9, func(o *options) { o.plan.Nodes = n }) }

// Retries says how often go-redis sends a command again that failed, after a
// wait: 0 by default here, since each makes more to explore, and 3 by its own default.
func Retries(n int) Option {
	return bounded("Retries", n, 0, 10, func(o *options) { o.plan.Retries = n })
}

// TTL is how long a lease lasts: 5 s by default.
func TTL(d time.Duration) Option {
	return func(o *options) { o.plan.TTL = history.Millis(d.Milliseconds()) }
}

// Key is the name of the lock's key in Redis, where the lock makes its own from
// the Client's Key: invariants are judged by that key.
func Key(key string) Option { return func(o *options) { o.plan.Key = key } }

// Tokens says what random numbers look like to the lock: "random", which is the
// default; "counter", each greater than the one before; "short", zeros but for the
// last byte; "colliding", the same for all clients. It is about crypto/rand; of
// math/rand, only "colliding" is.
func Tokens(look string) Option {
	return func(o *options) {
		if !slices.Contains(bubble.Looks(), bubble.Look(look)) {
			o.fail("Tokens: %q is not a look of random numbers; use %v", look, bubble.Looks())
		}
		o.plan.Tokens = look
	}
}

// Limit is for how long Check may take, in real time: two minutes by default.
// What is not done by then is INCONCLUSIVE.
func Limit(d time.Duration) Option { return func(o *options) { o.limit = d } }

// States is how many states are explored under a hazard before it is given up.
func States(n int) Option {
	return bounded("States", n, 1, 1<<30, func(o *options) { o.plan.States = n })
}

// AcceptSampled says that a hazard may be sampled where it is too large to be
// explored to its end, and why that will do. Without it, that is a failure.
func AcceptSampled(why string) Option {
	return func(o *options) {
		if why == "" {
			o.fail("AcceptSampled: say why")
		}
		o.plan.AcceptSampled = why
	}
}

// Allow says that the contract of the lock does not exclude that an invariant
// is violated under a hazard, and why. A violation that is allowed does not fail
// the test, and is reported; an allowance that is not needed is an error.
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

// Strict drops what the contract of every lease allows: nothing is allowed but
// what Allow says.
func Strict() Option {
	return func(o *options) {
		o.plan.Contract = slices.DeleteFunc(o.plan.Contract, func(a trial.Allowance) bool { return !a.Own })
	}
}

func bounded(name string, n, least, most int, set func(*options)) Option {
	return func(o *options) {
		if n < least || n > most {
			o.fail("%s: %d; use %d to %d", name, n, least, most)
		}
		set(o)
	}
}

// fail keeps the first mistake.
func (o *options) fail(format string, args ...any) {
	if o.err == nil {
		o.err = fmt.Errorf(format, args...)
	}
}
