package explore

import (
	"slices"
	"testing"

	"lockstep/sim/history"
)

var (
	ofClientClocks = clockFaults("")
	ofNodeClocks   = clockFaults("any")
	promotions     = []history.Action{{Verb: history.Promote, By: 1}}
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
