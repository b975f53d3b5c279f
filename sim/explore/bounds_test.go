package explore

import (
	"slices"
	"testing"

	"lockstep/sim/history"
	"lockstep/sim/program"
)

// TestOfNodes lists the targets of faults.
func TestOfNodes(t *testing.T) {
	b := Bounds{Faults: slices.Concat(verbs(history.Crash, history.Flush, history.Wipe, history.Cut), ofClientClocks, ofNodeClocks)}
	want := []string{"flush", "r1.wipe", "r2.wipe", "r1.jump+10000", "r2.jump+10000", "r1.jump-10000", "r2.jump-10000", "r1.rate+250", "r2.rate+250", "r1.rate+4000", "r2.rate+4000"}
	var got []string
	for _, a := range b.ofNodes(2) {
		got = append(got, history.Schedule{a}.String())
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestWhoTriesAgain: retries are left out for a lock that polls by itself or
// uses several nodes.
func TestWhoTriesAgain(t *testing.T) {
	h, _ := FindHazard("lost-reply")
	for _, tt := range []struct {
		polls bool
		nodes int
		waits bool
	}{{false, 1, true}, {true, 1, false}, {false, 3, false}} {
		if c := h.Config(Lock{"x", program.Subject{Polls: tt.polls, Nodes: tt.nodes}}, "A"); c.Wait > 0 != tt.waits {
			t.Errorf("%+v: waits for %v", tt, c.Wait)
		}
	}
}
