package explore

import (
	"slices"

	"lockstep/internal/lang"
	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/program"
)

// A Hazard is a class of failures, as a bounded world.
type Hazard struct {
	ID     string
	Bounds Bounds
	// Set adapts the configuration; retries need time to wait, for example.
	Set func(*history.Config)
	// missing returns why a proof is vacuous, from events that never happened;
	// nothing if it is not. Each of Hazards has it.
	missing func(*Counts) lang.Message
	// renews says that only a lock that renews promises to endure it.
	renews bool
}

// Hazards lists the columns of the matrix.
func Hazards() []Hazard {
	return []Hazard{
		{ID: "contention", Bounds: Bounds{Ticks: 4}, Set: work, missing: contended},
		oneFault("crash", work, verbs(history.Crash)),
		oneFault("hang", work, verbs(history.Hang)),
		{ID: "overrun", Bounds: Bounds{Ticks: 2, Anywhere: true, Leap: lease + 1}, missing: expired},
		{ID: "client-clock", Bounds: Bounds{Faults: clockFaults(""), Budget: 1, Ticks: 4}, Set: work, missing: clocked},
		oneFault("lost-reply", retry, verbs(history.LoseReply)),
		oneFault("lost-push", work, verbs(history.LosePush)),
		{ID: "late-request", Bounds: Bounds{Faults: verbs(history.Send, history.Late), Budget: 2, Ticks: 4}, Set: retry, missing: happened(history.Late)},
		{ID: "reentry", Bounds: Bounds{Ticks: 4}, Set: func(c *history.Config) { c.Nest, c.Work = 2, someWork }, missing: nested},
		oneFault("node-restart", work, verbs(history.Wipe)),
		oneFault("node-clock", work, clockFaults("any")),
		oneFault("eviction", work, verbs(history.Evict)),
		oneFault("failover", lag, []history.Action{{Verb: history.Promote, By: 1}}),
		{ID: "partition", Bounds: Bounds{Faults: verbs(history.Cut, history.Heal), Budget: 2, Ticks: 4}, Set: work, missing: happened(history.Cut)},
		{ID: "script-flush", Bounds: Bounds{Faults: verbs(history.Flush), Budget: 1, Ticks: 4}, Set: work, missing: scripted},
		oneFault("cancel", work, verbs(history.Cancel)),
		{ID: "long-work", Bounds: Bounds{Ticks: longTicks}, Set: func(c *history.Config) { c.Work = 3 * c.TTL }, missing: renewed, renews: true},
	}
}

// oneFault is the hazard that one of some faults happens once, the first of which cannot
// always happen.
func oneFault(id string, set func(*history.Config), faults []history.Action) Hazard {
	return Hazard{ID: id, Bounds: Bounds{Faults: faults, Budget: 1, Ticks: 4}, Set: set, missing: happened(faults[0].Verb)}
}

// On returns the hazard as it is for a lock. On ZooKeeper, a lease is a session,
// which only a process that stands still outlives; a node that restarts is a
// leader that changes, which loses nothing; and what a replica may miss, a
// follower answers from.
func (h Hazard) On(s program.Subject) Hazard {
	if s.Server != sim.ZooKeeper {
		return h
	}
	b := &h.Bounds
	switch h.ID {
	case "overrun":
		*b, h.missing = Bounds{Faults: verbs(history.Pause), Budget: 1, Ticks: 4}, happened(history.Pause)
	case "node-restart":
		b.Faults, h.missing = verbs(history.Restart), happened(history.Restart)
	case "failover":
		b.Faults, b.Budget, h.missing = nil, 0, contended
	case "long-work": // the library keeps the session
		h.missing, h.renews = contended, false
	case "partition": // the session ends while its holder works on
		h.Set = func(c *history.Config) { c.Work = 2 * c.TTL }
	case "node-clock": // timeouts are measured by a clock that nobody sets
		b.Faults, b.Budget = nil, 0
	}
	return h
}

// The worlds of the hazards.
const (
	lease    = 5 * history.Second
	someWork = 2 * history.Second // within a lease, and longer than a watchdog's sleep
	fewNodes = 3                  // of a lock on several; a majority is two
	// longTicks suffices for five renewals in each of the three leases of long work.
	longTicks = 16
)

// work makes the critical section take time, so that time passes within a
// lease.
func work(c *history.Config) { c.Work = someWork }

// lag lets the replica of a node miss its last write.
func lag(c *history.Config) { c.Work, c.Lag = someWork, 1 }

// retry lets a client try three times: at once; after a timeout, while a lease
// from the first attempt still lasts; after that lease.
func retry(c *history.Config) { c.Wait, c.Poll = 6*history.Second, 3*history.Second }

// A Lock is a lock to explore: a row of the matrix.
type Lock struct {
	ID      string
	Subject program.Subject
}

func contended(c *Counts) lang.Message {
	switch {
	case c.Refused > 0, c.Waited > 0:
		return lang.Message{}
	case c.Failed > 0:
		return lang.New("nobody was ever refused: what Lock returned, %d times, does not say that somebody else has the lock, as an error that wraps ErrNotAcquired does", c.Failed)
	}
	return lang.New("nobody was ever refused")
}

func expired(c *Counts) lang.Message {
	if c.Expired == 0 && c.Leaps == 0 {
		return lang.New("no lease ever ended")
	}
	return lang.Message{}
}

func clocked(c *Counts) lang.Message {
	if c.Clocks == 0 {
		return lang.New("the lock never reads a clock")
	}
	return happened(history.Jump)(c)
}

func nested(c *Counts) lang.Message {
	if c.Nested == 0 {
		return lang.New("nobody ever acquired again while it held the lock")
	}
	return lang.Message{}
}

func renewed(c *Counts) lang.Message {
	switch r := c.Renewal; {
	case r.Every == 0:
		return lang.New("the lock was never seen to renew its lease")
	case r.Every*longTicks <= r.Lease:
		return lang.New("the lock renews every %v, and time does not pass often enough to outlast its lease of %v", r.Every, r.Lease)
	}
	return lang.Message{}
}

func scripted(c *Counts) lang.Message {
	if c.Scripts == 0 {
		return lang.New("the lock sends no EVALSHA")
	}
	return happened(history.Flush)(c)
}

func happened(v history.Verb) func(*Counts) lang.Message {
	return func(c *Counts) lang.Message {
		if c.Faults[v] == 0 {
			return lang.New("%s was never possible", v)
		}
		return lang.Message{}
	}
}

// FindHazard returns the hazard with the given id.
func FindHazard(id string) (Hazard, bool) {
	for _, h := range Hazards() {
		if h.ID == id {
			return h, true
		}
	}
	return Hazard{}, false
}

func verbs(vs ...history.Verb) []history.Action {
	var actions []history.Action
	for _, v := range vs {
		actions = append(actions, history.Action{Verb: v})
	}
	return actions
}

// clockFaults are the faults of a clock. It jumps by more than the lease of any
// hazard. It runs so slowly that its client's work exceeds a lease, or its
// node's leases exceed all waits. Or it runs so fast that a lease on its node
// ends before the work.
func clockFaults(node string) []history.Action {
	return []history.Action{
		{Verb: history.Jump, Node: node, By: 10 * history.Second},
		{Verb: history.Jump, Node: node, By: -10 * history.Second},
		{Verb: history.Rate, Node: node, By: 250},
		{Verb: history.Rate, Node: node, By: 4000},
	}
}

// Config returns the configuration of a hazard for a lock.
func (h Hazard) Config(l Lock, clients ...string) history.Config {
	c := history.Default()
	c.Strategy, c.Clients, c.TTL, c.LockKey = l.ID, clients, lease, l.Subject.Key
	if l.Subject.Nodes > 1 {
		c.Nodes = fewNodes
	}
	if l.Subject.World != nil {
		l.Subject.World(&c)
	}
	if h.Set != nil {
		h.Set(&c)
	}
	// Retries make a world large. So they are left out for a lock that polls by
	// itself, or that asks several nodes each time.
	if l.Subject.Polls || l.Subject.Nodes > 1 {
		c.Wait = 0
	}
	return c
}

// Occurred reports whether a hazard has happened in a run by an event.
func (h Hazard) Occurred(run history.History, until int) bool {
	switch {
	case until < 0:
		return false
	case h.ID == "overrun", h.ID == "long-work":
		return outlived(run, until)
	case h.ID == "reentry":
		return run.Config.Nest > 1
	case len(h.Bounds.Faults) == 0:
		return true // contention, which needs no event
	}
	return slices.ContainsFunc(run.Schedule[:run.Events[until].Pick+1], func(a history.Action) bool {
		return a.Verb != history.Send && slices.ContainsFunc(h.Bounds.Faults, func(fault history.Action) bool {
			clock := fault.Verb == history.Jump || fault.Verb == history.Rate // of a client or of a node
			return a.Verb == fault.Verb && (!clock || (a.Node == "") == (fault.Node == ""))
		})
	})
}

// outlived reports whether a client held the lock for longer than a lease.
func outlived(run history.History, until int) bool {
	since := map[string]history.Millis{}
	for _, e := range run.Events[:until+1] {
		for _, at := range since {
			if e.At-at >= run.Config.TTL {
				return true
			}
		}
		switch {
		case e.Kind == history.Return && e.Outcome == history.Acquired:
			since[e.Client] = e.At
		case e.Op == history.OpRelease && e.Kind != history.Invoke:
			delete(since, e.Client)
		}
	}
	return false
}
