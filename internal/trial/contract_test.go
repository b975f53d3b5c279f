package trial

import (
	"slices"
	"testing"

	"lockstep/sim"
	"lockstep/sim/explore"
	"lockstep/sim/history"
)

// TestContracts: the contracts name invariants and hazards that there are, each line once.
func TestContracts(t *testing.T) {
	for _, c := range [][]Allowance{Contract(sim.Redis), Contract(sim.ZooKeeper), OfGoroutines()} {
		known := map[Allowance]bool{}
		for _, a := range c {
			hazard := slices.ContainsFunc(explore.Hazards(), func(h explore.Hazard) bool { return h.ID == a.Hazard })
			if known[a] || a.Why == "" || !hazard || !slices.Contains(history.Invariants(), a.Invariant) {
				t.Errorf("%+v", a)
			} else {
				known[a] = true
			}
		}
	}
}

// TestCancelledWithoutAReply: nobody can give back what he does not know that he has. Lock gives
// up as its context has ended; whether the SET of it was answered decides, at once and, if its
// goroutine still asks, at the deadline.
func TestCancelledWithoutAReply(t *testing.T) {
	key := &history.KeyState{Type: "string", Value: "A-1", Deadline: 5000}
	const lock = "lock:stock"
	asks := history.Event{Kind: history.Invoke, Client: "A", Op: history.OpAcquire}
	cancel := history.Event{Kind: history.Fault, Client: "A", Op: string(history.Cancel)}
	set := history.Event{Kind: history.Apply, Client: "A", Node: "r1", Changes: []history.Change{{Key: lock, After: key}}}
	unread := set
	unread.Outcome = history.Unread
	silence := history.Event{Kind: history.Broken, Client: "A", Node: "r1", Op: history.Reset}
	fails := history.Event{Kind: history.Fail, Client: "A", Op: history.OpAcquire, Text: "context canceled"}
	wonders := history.Event{Kind: history.Unknown, Client: "A", Op: history.OpAcquire}
	busy := fails
	busy.Busy = true
	expires := history.Event{Kind: history.Expire, Node: "r1", Changes: []history.Change{{Key: lock, Before: key}}}
	for about, test := range map[string]struct {
		events  []history.Event
		allowed bool
	}{
		"answered":                {[]history.Event{asks, set, cancel, fails}, false},
		"answered, and who knows": {[]history.Event{asks, set, cancel, wonders}, false},
		"broken off":              {[]history.Event{asks, set, cancel, silence, fails}, true},
		"and it says so":          {[]history.Event{asks, set, cancel, silence, wonders}, true},
		"answered behind it":      {[]history.Event{asks, set, cancel, busy, expires}, false},
		"broken off behind it":    {[]history.Event{asks, set, cancel, busy, silence, expires}, true},
		"applied behind it":       {[]history.Event{asks, cancel, busy, set, expires}, false},
		"late":                    {[]history.Event{asks, cancel, fails, unread, expires}, true},
	} {
		for i := range test.events {
			test.events[i].Seq = i
		}
		c := history.Default()
		c.Clients = []string{"A", "B"}
		found := history.Check(history.History{Config: c, Nodes: 1, Events: test.events})
		if len(found) != 1 || found[0].Invariant != history.Leak {
			t.Errorf("%s: %+v", about, found)
			continue
		}
		plan := Usual()
		if why := plan.allowed(found[0], "cancel"); (why != "") != test.allowed {
			t.Errorf("%s: %+v is allowed: %q", about, found[0].Lost, why)
		}
	}
}
