package explore

import (
	"context"
	"fmt"
	"testing"

	"lockstep/internal/testkit/simtest"
	"lockstep/sim/history"
	"lockstep/sim/program"
	"lockstep/sim/world"
	"lockstep/strategies"
)

func lockOf(t testing.TB, id string) Lock {
	t.Helper()
	return Lock{id, simtest.Subject(t, id)}
}

// makes returns a lock with a Lock function.
func makes(lock func(context.Context, strategies.Env) error) Lock {
	return Lock{"made", simtest.Made(lock)}
}

func lengths(r Report) string {
	text := ""
	for _, f := range r.Found {
		text += fmt.Sprintf(" %s=%d", f.Violation.Invariant, len(f.Schedule))
	}
	return text
}

// playable plays a counterexample within the bounds of its report.
func playable(t testing.TB, r *Report, subject program.Subject, f *Found) {
	t.Helper()
	simtest.Violates(t, r.Config, subject, f.Schedule, f.Violation.Invariant, func(w *world.World, n int) []history.Action {
		return r.Bounds.Allowed(w, r.Bounds.Spending(f.Schedule[:n]))
	})
}

func contend(t *testing.T, l Lock) (Report, error) {
	h, _ := FindHazard("contention")
	h.Bounds.States = 3000
	return Check(t.Context(), h, l, Options{}, "A", "B")
}

// Check explores a lock under a hazard.
func Check(ctx context.Context, h Hazard, l Lock, o Options, clients ...string) (Report, error) {
	r, err := Explore(ctx, h.Config(l, clients...), l.Subject, h.Bounds, o)
	r.Hazard = h.ID
	return r, err
}
