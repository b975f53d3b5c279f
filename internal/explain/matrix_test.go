package explain_test

import (
	"testing"

	"lockstep/internal/testkit"
	"lockstep/scenarios"
	"lockstep/sim/explore"
	"lockstep/sim/history"
	"lockstep/strategies"
)

// counterexamples are the shortest ways in which locks break under hazards, of
// some cells of the matrix.
func counterexamples(t *testing.T, each func(t *testing.T, h history.History, v history.Violation)) {
	type cell struct {
		lock   strategies.Info
		hazard explore.Hazard
	}
	var cells []cell
	for i := range strategies.Catalogue() {
		for j := range explore.Hazards() { // neighbours differ in both
			cells = append(cells, cell{strategies.Catalogue()[(i+j)%len(strategies.Catalogue())], explore.Hazards()[j]})
		}
	}
	for _, c := range testkit.Some(t, cells, 30, 15) {
		t.Run(c.lock.ID+" "+c.hazard.ID, func(t *testing.T) {
			t.Parallel()
			subject := testkit.Must(scenarios.SubjectOf(c.lock.ID))(t)
			bounds := c.hazard.Bounds
			bounds.States = testkit.Size(t, 2000, 1000)
			config := c.hazard.Config(explore.Lock{ID: c.lock.ID, Subject: subject}, "A", "B")
			report := testkit.Must(explore.Explore(t.Context(), config, subject, bounds, explore.Options{}))(t)
			for _, f := range report.Found {
				r := testkit.Must(scenarios.Replay(t.Context(), config, f.Schedule))(t)
				for _, v := range r.Violations {
					if v.Invariant == f.Violation.Invariant {
						each(t, r.History, v)
					}
				}
			}
		})
	}
}
