package explore

import (
	"context"
	"slices"
	"testing"
	"time"

	"lockstep/internal/testkit"
	"lockstep/internal/testkit/simtest"
	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/program"
	"lockstep/strategies"
)

// TestARow: a row learns only what an earlier hazard did not teach, also of code that keeps its own time.
func TestARow(t *testing.T) {
	for _, tt := range []struct {
		lock, first, then string
		known             bool // the configurations are equal
	}{{"fenced", "contention", "crash", true}, {"fenced", "crash", "overrun", false}, {"zk-lock", "contention", "contention", true}} {
		l := lockOf(t, tt.lock)
		row := NewRow(t.Context(), l)
		defer row.Close()
		var r Report
		for _, h := range matrixHazards(t, tt.first, tt.then) {
			r = testkit.Must(row.Explore(t.Context(), h, h.Config(l, "A", "B"), Options{}))(t)
		}
		alone := check(t, l, tt.then)
		if less := r.ClientRuns < alone.ClientRuns && r.NodeRuns < alone.NodeRuns; less != tt.known {
			t.Errorf("%+v: %d and %d runs; alone %d and %d", tt, r.ClientRuns, r.NodeRuns, alone.ClientRuns, alone.NodeRuns)
		}
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

// TestARowBlamesNoInterrupt: what was interrupted proves nothing, so a later search that learns
// the lock anew does not find that it was wrong.
func TestARowBlamesNoInterrupt(t *testing.T) {
	l := Lock{"rememberer", program.Subject{Nodes: 1, New: func(e strategies.Env) strategies.Lock {
		return &rememberer{Env: e, lock: func(ctx context.Context, r *rememberer) error { return r.order(ctx, true) }}
	}}}
	row := NewRow(t.Context(), l)
	defer row.Close()
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for i, ctx := range []context.Context{over, t.Context()} {
		h := matrixHazards(t, "contention")[0]
		r, err := row.Explore(ctx, h, h.Config(l, "A", "B"), Options{})
		if err != nil || (r.Limit == Interrupt) != (i == 0) || r.Merging.Relearned != (i == 1) {
			t.Errorf("search %d: limit %q, learned again %t, %v", i+1, r.Limit, r.Merging.Relearned, err)
		}
	}
}
