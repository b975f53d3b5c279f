package trial

import (
	"cmp"
	"slices"
	"strings"

	"lockstep/internal/lang"
	"lockstep/sim"
	"lockstep/sim/explore"
	"lockstep/sim/history"
	"lockstep/sim/program"
)

// A Plan says how a lock is tried.
type Plan struct {
	Hazards       []string       `json:"hazards,omitempty"` // all if empty
	Clients       int            `json:"clients"`
	Goroutines    bool           `json:"goroutines,omitempty"` // the clients are those of one process
	Rounds        int            `json:"rounds"`               // how often each client acquires, works and releases
	Nodes         int            `json:"nodes"`
	Retries       int            `json:"retries,omitempty"`        // of go-redis, after a command that failed
	TTL           history.Millis `json:"ttl_ms,omitempty"`         // of a lease; the hazard's own if 0
	Work          history.Millis `json:"work_ms,omitempty"`        // under long-work; three leases if 0
	Server        sim.ServerKind `json:"server,omitempty"`         // of the nodes
	Addresses     int            `json:"addresses,omitempty"`      // of ZooKeeper servers that a client gets
	Key           string         `json:"key,omitempty"`            // the lock's key in Redis, the default if empty; or its path in ZooKeeper
	States        int            `json:"states"`                   // bound on a hazard's states, for each node
	Memory        int            `json:"memory"`                   // bound on their memory, in bytes
	Exact         bool           `json:"exact,omitempty"`          // all orders of a client's strands are kept apart
	Runs          int            `json:"runs"`                     // sampled runs if the states exceed a bound
	MoreFaults    int            `json:"more_faults,omitempty"`    // beyond a hazard's own, if it has any
	MoreTicks     int            `json:"more_ticks,omitempty"`     // how much more often time passes
	AcceptSampled string         `json:"accept_sampled,omitempty"` // why sampling suffices; a failure if empty
	// Contract lists the allowed violations.
	Contract []Allowance `json:"contract"`
}

// Usual is the default plan.
func Usual() Plan {
	return Plan{Clients: 2, Rounds: 1, Nodes: 1, States: 200_000, Memory: 1 << 30, Runs: 2000, Contract: Contract(sim.Redis)}
}

// Contract lists what no lock on a kind of server can exclude.
func Contract(kind sim.ServerKind) []Allowance {
	if kind == sim.ZooKeeper {
		return contract(sessions)
	}
	return contract(leases)
}

// OfGoroutines lists what no lock can exclude where goroutines of one process take it: if a
// mutex beside a lock that is not reentrant keeps its holder out, that waits for ever.
func OfGoroutines() []Allowance {
	return contract("3: reentry: nested: lost-wakeup lock-recovers")
}

// Subject is the lock as a world takes it; start starts its clients.
func (p *Plan) Subject(start func(history.Config, program.Subject, string) program.Code) program.Subject {
	return program.Subject{Nodes: p.Nodes, Server: p.Server, Addresses: p.Addresses, Key: p.Key, Start: start, World: p.World}
}

// Take takes the only key that acquisitions of the lock change for the lock's, if the plan
// names none. An error says that they change several, that the plan names another one, or that
// the key tells nothing.
func (p *Plan) Take(seen program.Traits) error {
	keys, known := seen.Keys, cmp.Or(p.Key, history.Default().Key())
	switch {
	case seen.Stays:
		return lang.Errorf("%s is still there after a release, and the next client acquires: Lockstep judges locks whose key is gone when they are free", keys[0])
	case seen.Mute != "":
		return lang.Errorf("the lock sends no command to the server that it was given, and its Lock does not acquire: %v", lang.Word(seen.Mute))
	case len(keys) == 0 || slices.Contains(keys, known):
		return nil
	case len(keys) > 1 || p.Key != "":
		return lang.Errorf("an acquisition writes %s, and not %s: say with locktest.Key which key is the lock's", lang.Names(keys), known)
	}
	p.Key = keys[0]
	return nil
}

// What Traits.Mute may say.
var _ = []lang.Word{"it did not return while Lockstep looked", "an empty error", "refused"}

// Deepen makes a plan search deeper: one more fault, two more passings of time,
// one more round, and five times as many states.
func (p *Plan) Deepen() {
	p.MoreFaults++
	p.MoreTicks += 2
	p.Rounds++
	p.States *= 5
	p.Runs *= 10
}

// bounds are those of a hazard.
func (p *Plan) bounds(h explore.Hazard) explore.Bounds {
	b := h.Bounds
	b.States, b.Memory, b.Depth, b.Exact = p.States*max(1, p.Nodes), p.Memory, maxDepth, p.Exact
	if p.Goroutines && b.Anywhere {
		b.Ticks = 1 // each time of each goroutine makes states of the process
	}
	b.Ticks += p.MoreTicks
	if b.Budget > 0 {
		b.Budget += p.MoreFaults
	}
	return b
}

// maxDepth is how many actions a schedule may have.
const maxDepth = 200

// Under lists the hazards that apply.
func (p *Plan) Under() []explore.Hazard {
	return slices.DeleteFunc(explore.Hazards(), func(h explore.Hazard) bool { return len(p.Hazards) > 0 && !slices.Contains(p.Hazards, h.ID) })
}

// World applies the plan to the world of a hazard; see program.Subject.
func (p *Plan) World(c *history.Config) {
	c.Rounds, c.Retries = p.Rounds, p.Retries
	if p.Goroutines {
		c.Process = history.Shared
	}
	if p.Nodes > 1 {
		c.Nodes = p.Nodes
	}
	if p.TTL > 0 {
		c.TTL = p.TTL
	}
}

// clients returns the names of the clients.
func (p *Plan) clients() []string { return []string{"A", "B", "C", "D", "E"}[:p.Clients] }

// Unneeded lists the test's own allowances, for hazards that were tried, that no
// violation needs.
func (p *Plan) Unneeded(reports []*Report) (list []Allowance) {
	for _, a := range p.Contract {
		tried, needed := false, false
		for _, r := range reports {
			tried = tried || r.Hazard == a.Hazard && !r.Skipped
			needed = needed || r.Hazard == a.Hazard && slices.ContainsFunc(r.Found, func(f Found) bool { return f.Invariant == a.Invariant })
		}
		if a.Own && tried && !needed {
			list = append(list, a)
		}
	}
	return list
}

// An Allowance is a violation that the contract of a lock does not exclude.
type Allowance struct {
	Invariant string `json:"invariant"`
	Hazard    string `json:"hazard"`
	Why       string `json:"why"`
	Own       bool   `json:"own,omitempty"` // the test's, not of every lease; Lost does not count
	// Lost is how the lease has to have been lost for that. Under is "" for any.
	Lost history.Loss `json:"lost,omitzero"`
}

// covers reports whether the allowance is for an invariant where a lease was lost in a way. A test
// that allows a foreign-release, or equal tokens, allows what it comes to.
func (a *Allowance) covers(invariant string, l history.Loss) bool {
	if a.Own {
		return (a.Invariant == history.ForeignRelease || a.Invariant == history.EqualTokens) && l.By == history.ByAnother
	}
	return a.Invariant == invariant && l.By == a.Lost.By && (a.Lost.Under == "" || l.Under == a.Lost.Under)
}

// reasons are those of the contracts, for the translations.
var reasons = []lang.Word{
	"a lease ends when its time is over, and its holder may still be at work",
	"the server can forget the key, and with it the lease",
	"a lease of its own, which it does not know that it holds, keeps a client out for up to the TTL; keep the token of a try without an answer, and release it before the next try, to avoid that",
	"it is not reentrant",
	"the server can forget a release, and with it that the lease is over",
	"a session ends when the server hears nothing from its client for long enough, and its holder may still be at work",
	"a session lasts for as long as its process lives, whatever becomes of the work",
}

// leases are the violations that no lease can exclude: a lease lasts for a time, and the
// server or the client can miss its end. A line has the number of a reason, hazards, how the
// lease was lost, which is by, or by/under (see history.Loss), and invariants: "harm" is what
// comes of a lease that ended before the client was done with it.
const leases = `
0: overrun: expire: harm
0: hang: expire/hang: harm
0: client-clock node-clock: expire/jump expire/rate: harm
0: node-clock: jump: harm
1: node-restart: wipe: harm
1: eviction: evict: harm
1: failover: promote: harm
2: lost-reply late-request partition cancel: unanswered: self-deadlock leak
3: reentry: nested: self-deadlock blocked-forever
3: reentry: expire/nested: harm
4: failover: promote: self-deadlock leak`

const harm = "mutual-exclusion phantom-hold stale-write lost-update leak"

// sessions are the violations that no lock of ephemeral nodes can
// exclude: such a node lasts exactly as long as its session. A session ends under a
// process that stands still (overrun, as explore.Hazard.On has it) or cannot reach
// the servers. While it runs and reaches them, it pings: the session lasts, and a
// worker that hangs keeps the lock. A lock can find its node again after a lost
// reply, by its name.
const sessions = `
5: overrun: expire/pause: harm
5: partition: expire/cut: harm
6: hang: hang: lock-recovers
3: reentry: nested: self-deadlock lock-recovers blocked-forever`

// contract reads such lines.
func contract(lines string) (list []Allowance) {
	for line := range strings.SplitSeq(strings.TrimSpace(lines), "\n") {
		fields := strings.Split(strings.Replace(line, "harm", harm, 1), ":")
		why := reasons[fields[0][0]-'0']
		for _, hazard := range strings.Fields(fields[1]) {
			for _, lost := range strings.Fields(fields[2]) {
				by, under, _ := strings.Cut(lost, "/")
				for _, invariant := range strings.Fields(fields[3]) {
					a := Allowance{Invariant: invariant, Hazard: hazard, Why: string(why), Lost: history.Loss{By: by, Under: under}}
					list = append(list, a)
				}
			}
		}
	}
	return list
}

// allowed says why a violation under a hazard is allowed; "" if it is not.
func (p *Plan) allowed(v history.Violation, hazard string) lang.Word {
	under := func(is func(a Allowance) bool) string {
		for _, a := range p.Contract {
			if a.Hazard == hazard && is(a) {
				return a.Why
			}
		}
		return ""
	}
	why := under(func(a Allowance) bool { return a.Own && a.Invariant == v.Invariant })
	if why != "" {
		return lang.Word(why)
	}
	for _, l := range v.Lost { // each of them
		if why = under(func(a Allowance) bool { return a.covers(v.Invariant, l) }); why == "" {
			return ""
		}
	}
	return lang.Word(why)
}
