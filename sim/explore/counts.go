package explore

import (
	"slices"

	"lockstep/sim/history"
)

// Counts counts events over all transitions of an exploration. A proof says
// nothing about events that never happened.
type Counts struct {
	Enters  int // of the critical section
	Refused int // acquisitions, or conditional writes without a lock
	Failed  int // acquisitions, with an error other than a refusal
	Expired int // the lock's key, at its deadline
	Nested  int // acquisitions by a client that holds the lock
	Scripts int // EVALSHA
	Waited  int // passes of time while a client holds the lock and another one waits for it
	Clocks  int // reads of a client's clock
	Leaps   int // of time, past a lease that has no deadline in Redis
	Faults  map[history.Verb]int
	Renewal Renewal // of the lock, where the hazard asks for that
}

// Add adds n times another Counts.
func (c *Counts) Add(d Counts, n int) {
	c.Enters += n * d.Enters
	c.Refused += n * d.Refused
	c.Failed += n * d.Failed
	c.Expired += n * d.Expired
	c.Nested += n * d.Nested
	c.Scripts += n * d.Scripts
	c.Waited += n * d.Waited
	c.Clocks += n * d.Clocks
	c.Leaps += n * d.Leaps
	for v, times := range d.Faults {
		c.Faults[v] += n * times
	}
}

// Action adds an action within bounds; key is the lock's, and m has observed what was before.
func (c *Counts) Action(b Bounds, a history.Action, events []history.Event, key string, m *history.Monitor) {
	c.Add(countEvents(events, key), 1)
	if a.Verb.IsTime() && m.Waits() {
		c.Waited++
	}
	switch {
	case a.Verb == history.Advance:
		c.Leaps++
	case b.IsFault(a.Verb):
		c.Faults[a.Verb]++
	}
}

// countEvents counts the events of a list.
func countEvents(list []history.Event, key string) Counts {
	var c Counts
	acquiring := 0
	for _, e := range list {
		switch {
		case e.Kind == history.Resource && e.Op == history.Enter:
			c.Enters++
		case e.Kind == history.Resource && e.Op == history.Refuse, e.Outcome == history.Refused:
			c.Refused++
		case e.Kind == history.Fail && e.Op == history.OpAcquire:
			c.Failed++
		case e.Kind == history.Expire && slices.ContainsFunc(e.Changes, func(ch history.Change) bool { return ch.Key == key }):
			c.Expired++
		case e.Kind == history.Read:
			c.Clocks++
		case e.Kind == history.Apply && e.Cmds[0][0] == "EVALSHA":
			c.Scripts++
		}
		// A client reads the resource and then acquires again.
		if e.Kind == history.Resource && e.Op == history.ReadOp {
			acquiring++
		}
		if e.Kind == history.Invoke && e.Op == history.OpAcquire && acquiring > 0 {
			c.Nested++
		}
	}
	return c
}
