package world_test

import (
	"testing"

	"lockstep/internal/testkit/simtest"
	"lockstep/sim/history"
	"lockstep/sim/world"
	"lockstep/strategies"
)

var subject = simtest.Subject

// TestTwoClients runs two clients to their end, always with the first possible
// step. The first makes a sale and the second none.
func TestTwoClients(t *testing.T) {
	for _, info := range strategies.Catalogue() {
		if info.ID == "reentrant-leak" || info.ID == "reentrant-misprint" {
			continue // these fail by themselves
		}
		t.Run(info.ID, func(t *testing.T) {
			w := worldOf(t, "", subject(t, info.ID))
			for w.Perform(firstStep(w)) == nil {
			}
			m := history.NewMonitor(w.History().Config, info.Nodes)
			for _, e := range w.History().Events {
				m.Observe(e)
			}
			if len(m.Violations()) > 0 || m.Consequence().String() != "sold 1 of 1" {
				t.Errorf("%s, %+v\n%s", m.Consequence(), m.Violations(), transcript(w))
			}
		})
	}
}

// firstStep returns the first enabled step, or an action that is not enabled. A
// background strand's wait for time does not count.
func firstStep(w *world.World) history.Action {
	for _, a := range w.Enabled(history.Action{Verb: history.Step}) {
		return a
	}
	return history.Action{}
}
