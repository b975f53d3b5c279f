package fuzz

import (
	"context"
	"fmt"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/internal/testkit/simtest"
	"lockstep/sim/explore"
	"lockstep/sim/history"
	"lockstep/sim/program"
	"lockstep/sim/world"
	"lockstep/strategies"
)

func lockOf(t testing.TB, id string) explore.Lock {
	t.Helper()
	return explore.Lock{ID: id, Subject: simtest.Subject(t, id)}
}

// makes returns a lock with a Lock function.
func makes(lock func(context.Context, strategies.Env) error) explore.Lock {
	return explore.Lock{ID: "made", Subject: simtest.Made(lock)}
}

// explored returns the report of an exploration under a hazard.
func explored(t *testing.T, lock explore.Lock, hazard string) explore.Report {
	t.Helper()
	h, ok := explore.FindHazard(hazard)
	if !ok {
		t.Fatalf("no hazard %q", hazard)
	}
	l := lock
	r, err := explore.Explore(t.Context(), h.Config(l, "A", "B"), l.Subject, h.Bounds, explore.Options{})
	r.Hazard = h.ID
	testkit.OK(t, err)
	return r
}

// lengths returns the found invariants with the lengths of their schedules.
func lengths(found []explore.Found) string {
	text := ""
	for _, f := range found {
		text += fmt.Sprintf(" %s=%d", f.Violation.Invariant, len(f.Schedule))
	}
	return text
}

// playable plays a counterexample within the bounds of its report.
func playable(t *testing.T, r *explore.Report, subject program.Subject, f *explore.Found) {
	t.Helper()
	simtest.Violates(t, r.Config, subject, f.Schedule, f.Violation.Invariant, func(w *world.World, n int) []history.Action {
		return r.Bounds.Allowed(w, r.Bounds.Spending(f.Schedule[:n]))
	})
}
