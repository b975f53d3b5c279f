package explore

import (
	"context"
	"reflect"
	"slices"
	"testing"
	"time"

	"lockstep/internal/testkit/simtest"
	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/program"
	"lockstep/strategies"
)

// TestARow: under each hazard the report equals Check's, and the row learns
// only what earlier hazards did not teach, also of code that keeps its own time.
func TestARow(t *testing.T) {
	for _, lock := range []string{"fenced", "zk-lock"} {
		t.Run(lock, func(t *testing.T) {
			l := lockOf(t, lock)
			row := NewRow(t.Context(), l)
			defer row.Close()
			for i, h := range matrixHazards(t, "contention", "crash", "overrun", "contention", "node-clock") {
				if h.ID == "overrun" && lock == "zk-lock" {
					continue // it takes long
				}
				r, err := row.Explore(t.Context(), h, h.Config(l, "A", "B"), Options{})
				if err != nil {
					t.Fatal(err)
				}
				alone, err := Check(t.Context(), h, l, Options{}, "A", "B")
				if err != nil {
					t.Fatal(err)
				}
				if got, want := learned(Cell{Report: r}), learned(Cell{Report: alone}); !reflect.DeepEqual(got, want) {
					t.Errorf("%s: %+v; alone %+v", h.ID, got, want)
				}
				known := h.ID != "overrun" && i > 0 // in an equal configuration
				if less := r.ClientRuns < alone.ClientRuns && r.NodeRuns < alone.NodeRuns; less != known {
					t.Errorf("%s: %d and %d runs; alone %d and %d", h.ID, r.ClientRuns, r.NodeRuns, alone.ClientRuns, alone.NodeRuns)
				}
			}
		})
	}
}

// TestARowForgetsWhatGotStuck: code that gets stuck under one hazard does not
// end the search under another.
func TestARowForgetsWhatGotStuck(t *testing.T) {
	before := program.SetPatience(20 * time.Millisecond)
	defer program.SetPatience(before)
	l := makes(func(ctx context.Context, e strategies.Env) error {
		if e.Clock.Now().Before(sim.Epoch()) { // after it has jumped back
			<-t.Context().Done()
		}
		return simtest.Take(ctx, e, e.Token())
	})
	row := NewRow(t.Context(), l)
	defer row.Close()
	hazards := matrixHazards(t, "client-clock", "node-clock")
	for i, want := range []string{RealTime, ""} {
		r, err := row.Explore(t.Context(), hazards[i], hazards[i].Config(l, "A", "B"), Options{})
		if err != nil || r.Limit != want {
			t.Errorf("%s: limit %q, %v", hazards[i].ID, r.Limit, err)
		}
	}
}

// TestARowForgetsWhoCounts: code that counts under one hazard spins under the
// next as if that were the first.
func TestARowForgetsWhoCounts(t *testing.T) {
	l := makes(func(ctx context.Context, e strategies.Env) error {
		n := 0
		for ; taken(ctx, e); n++ {
		}
		if e.Clock.Now().Before(sim.Epoch()) && n > 500 {
			e.Redis.Del(ctx, e.Key)
		}
		return nil
	})
	row := NewRow(t.Context(), l)
	defer row.Close()
	hazards := matrixHazards(t, "client-clock", "contention")
	for i, spins := range []int{0, 2} {
		h := hazards[i]
		h.Bounds.Depth, h.Bounds.Ticks = 25, 1
		h.Bounds.Faults = slices.DeleteFunc(slices.Clone(h.Bounds.Faults), func(f history.Action) bool { return f.By >= 0 })
		r, err := row.Explore(t.Context(), h, h.Config(l, "A", "B"), Options{})
		if err != nil || len(r.Spins) != spins {
			t.Errorf("%s: %v, limit %q, %v", h.ID, r.Spins, r.Limit, err)
		}
	}
}
