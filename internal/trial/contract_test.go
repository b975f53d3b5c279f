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
