package lesson

import (
	"slices"
	"testing"

	"lockstep/sim/history"
)

// TestNodeMarks: a node shows its fault, nothing while it is down, and comes
// back without one; a client shows that it is cut off.
func TestNodeMarks(t *testing.T) {
	config := history.Default()
	config.Strategy = "redlock"
	happens := func(v history.Verb, client, node string) history.Event {
		return history.Event{Kind: history.Fault, Op: string(v), Client: client, Node: node}
	}
	events := []history.Event{
		happens(history.Down, "", "r1"), happens(history.Cut, "A", "r2"),
		happens(history.Up, "", "r1"), happens(history.Heal, "A", "r2"), happens(history.Wipe, "", "r2"),
	}
	h := history.History{Config: config, Nodes: 2, Events: events}
	r := &Run{History: h, Lanes: lanes(h, []string{"r1", "r2"})}
	for i := range events {
		events[i].Seq = i
		r.Rows = append(r.Rows, Row{Line: history.Line{Seq: i, Last: i}, From: i, To: i + 1})
	}
	r.prepare()
	for i, want := range [][]Mark{ // A, B, r1, r2
		{Idle, Idle, Faulted, Idle},
		{Faulted, Idle, Gone, Idle},
		{Idle, Idle, Acts, Idle},
		{Acts, Idle, Idle, Idle},
		{Idle, Idle, Idle, Faulted},
	} {
		if got := r.Rows[i].Lanes; !slices.Equal(got, want) {
			t.Errorf("%s: marks %v, want %v", events[i].Op, got, want)
		}
	}
}
