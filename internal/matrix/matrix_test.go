package matrix

import (
	"context"
	"slices"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/scenarios"
	"lockstep/sim/explore"
	"lockstep/sim/history"
	"lockstep/tui/pages"
)

// smallMatrix is the screen's matrix of one lock.
func smallMatrix(t *testing.T, limits explore.Bounds, jobs int, hazards ...string) *pages.Matrix {
	t.Helper()
	subject := testkit.Must(scenarios.SubjectOf("setnx"))(t)
	var columns []explore.Hazard
	for _, id := range hazards {
		i := slices.IndexFunc(explore.Hazards(), func(h explore.Hazard) bool { return h.ID == id })
		columns = append(columns, explore.Hazards()[i])
	}
	return Matrix([]explore.Lock{{ID: "setnx", Subject: subject}}, columns, limits, jobs, nil)
}

// TestScreenCells: the walkthrough is handed what the explorer says, each cell
// when it is known, with schedules that do break what they are said to break.
func TestScreenCells(t *testing.T) {
	var cells []explore.Report
	m := smallMatrix(t, explore.Bounds{States: 1000, Depth: 60}, 1, "crash", "contention", "script-flush")
	testkit.OK(t, m.Compute(t.Context(), func(c ...explore.Report) { cells = append(cells, c...) }))
	for i, want := range []explore.Verdict{"VIOLATED", "HOLDS", "VACUOUS"} {
		c := cells[i]
		verdict, _ := c.Verdict()
		if c.Config.Strategy != "setnx" || c.Hazard != m.Hazards[i] || verdict != want || c.States == 0 || c.Transitions == 0 || c.Assumptions().String() == "" {
			t.Errorf("%+v, want %s under %s", c, want, m.Hazards[i])
		}
	}
	if _, reason := cells[2].Verdict(); reason.String() != "the lock sends no EVALSHA" {
		t.Errorf("reason %q", reason)
	}
	if len(cells[0].Found) != 1 {
		t.Fatalf("found %+v", cells[0].Found)
	}
	f := &cells[0].Found[0]
	r := testkit.Must(scenarios.Replay(t.Context(), cells[0].Config, f.Schedule))(t)
	broken := func(v history.Violation) bool { return v.Invariant == f.Violation.Invariant }
	if cells[0].Code(f) != "LR 3/1" || cells[0].Faults(f) != 1 || !f.Shortest || !slices.ContainsFunc(r.Violations, broken) {
		t.Errorf("found %+v; its run violates %v", f, r.Violations)
	}
}

// TestScreenLimit: a limit reaches the screen.
func TestScreenLimit(t *testing.T) {
	m := smallMatrix(t, explore.Bounds{States: 5, Depth: 60}, 1, "contention")
	err := m.Compute(t.Context(), func(c ...explore.Report) {
		if v, reason := c[0].Verdict(); v != "INCONCLUSIVE" || c[0].Limit != "states" || reason.String() != "ended by the limit on states" {
			t.Errorf("%+v", c)
		}
	})
	if err != nil {
		t.Error(err)
	}
}

// TestScreenStops: once it is not wanted any more, nothing is reported: a
// search that was interrupted would pass for one that a limit ended.
func TestScreenStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	told := 0
	_ = smallMatrix(t, Limits(1<<28), 3, "crash", "contention", "overrun").Compute(ctx, func(...explore.Report) {
		told++
		cancel()
	})
	if told != 1 {
		t.Errorf("%d cells after the end", told-1)
	}
}
