package explore

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/sim/history"
)

// everyFault are the faults of nodes and messages, besides those of the
// hazards.
var everyFault = Bounds{
	Faults: slices.Concat(verbs(
		history.Down, history.Up, history.Slow, history.Fast, history.Restart, history.Wipe, history.Cut, history.Heal,
		history.Send, history.Arrive, history.LoseReply, history.Late, history.Crash,
	), promotions, ofNodeClocks),
	Budget: 2, Ticks: 2, Anywhere: true,
}

// TestNodeFaultsAgainstBrute compares the explorer with the replay of real
// worlds in which node faults meet messages in transit, as deep as feasible:
// requests when a node's process ends, a broken WATCH, a slow node's late
// request.
func TestNodeFaultsAgainstBrute(t *testing.T) {
	part := testkit.Size(t, 200, 40)
	for _, id := range []string{"setnx", "set-lua", "watch-del", "redlock", "watchdog-lua"} {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			h := Hazard{ID: "everything", Bounds: everyFault, Set: lag}
			fast := upTo(t, lockOf(t, id), &h, part, part)
			againstBrute(t, lockOf(t, id), h, fast)
			t.Log(fmt.Sprint(fast.States, " states to depth ", h.Bounds.Depth, ": ", fast.Counts.Faults))
		})
	}
}

// TestAssumptionsNameAPromotion: a promotion's By is a number of writes, and a
// rate's By thousandths, not milliseconds.
func TestAssumptionsNameAPromotion(t *testing.T) {
	r := Report{Bounds: Bounds{Faults: slices.Concat(promotions, ofNodeClocks), Budget: 1}}
	if want := "at most 1 of: promote missing=1, jump 10s, jump -10s, rate 0.25, rate 4;"; !strings.Contains(r.Assumptions().String(), want) {
		t.Errorf("%s: no %q", r.Assumptions(), want)
	}
}
