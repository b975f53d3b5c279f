package sim

import (
	"testing"

	"lockstep/sim/history"
)

// TestCandidates: whom an action of each kind may concern, in which order.
func TestCandidates(t *testing.T) {
	s := State{Clients: []ClientState{{Strands: make([]Strand, 2)}, {Dead: true}}, Nodes: make([]Ref, 2)}
	kinds := []history.Action{
		{Verb: history.Flush}, {Verb: history.Jump, By: 5}, {Verb: history.Jump, Node: "any", By: 6}, {Verb: history.Cut},
		{Verb: history.Late}, {Verb: history.Step}, {Verb: history.Wipe}, {Verb: history.Send},
	}
	want := "A A.send A/1 A/1.send A.jump+5 A.late A.cut:r1 A.cut:r2 B.jump+5 B.late B.cut:r1 B.cut:r2 " +
		"r1.jump+6 r1.wipe r2.jump+6 r2.wipe flush"
	if got := history.Schedule(s.Candidates(&Parties{Names: []string{"A", "B"}}, kinds...)).String(); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
