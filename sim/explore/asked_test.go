package explore

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/sim/history"
	"lockstep/strategies"
)

// said is what a report says that must depend on the question alone.
func said(r Report) string {
	v, why := r.Verdict()
	text := fmt.Sprintf("%s, %v, limit %q", v, why, r.Limit)
	for _, f := range r.Found {
		text += fmt.Sprintf("\n%s by %s, point %d, shortest %t", f.Violation.Invariant, f.Schedule, f.Point, f.Shortest)
	}
	return text + fmt.Sprint("\n", r.Spins)
}

// TestAskedInAnyOrder: what is found, to the action, depends on the question alone: it is the same
// alone, after other hazards, before them, and with all orders kept apart; but for the last, also where a limit on states ends the search within a level.
func TestAskedInAnyOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 3))
	locks := []Lock{lockOf(t, "pubsub-wakeup"), lockOf(t, "watchdog-naive"), lockOf(t, "weak-token"), lockOf(t, "redlock")}
	for range testkit.Size(t, 4, 2) {
		locks = append(locks, programOf(randomOps(rng)))
		locks[len(locks)-1].ID = fmt.Sprint("program-", len(locks))
	}
	for _, l := range locks {
		t.Run(l.ID, func(t *testing.T) {
			states := []int{100, 700}[rng.IntN(2)]
			var hazards []Hazard
			for _, h := range testkit.Some(t, Hazards(), 4, 3) {
				if h = h.On(l.Subject); h.ID != "overrun" {
					h.Bounds.States = states
					hazards = append(hazards, h)
				}
			}
			alone := map[string]string{}
			for _, h := range hazards {
				r, err := Check(t.Context(), h, l, Options{}, "A", "B")
				if err != nil {
					t.Fatal(err)
				}
				alone[h.ID] = fmt.Sprintln(r.States, said(r))
				exact := h
				exact.Bounds.Exact = true
				want, err := Check(t.Context(), exact, l, Options{}, "A", "B")
				if err != nil {
					t.Fatal(err)
				}
				if r.Limit == "" && want.Limit == "" && said(want) != said(r) {
					t.Errorf("%s:\n%s\nexact\n%s", h.ID, said(r), said(want))
				}
			}
			for range 2 {
				row := NewRow(t.Context(), l)
				for _, h := range hazards {
					r, err := row.Explore(t.Context(), h, h.Config(l, "A", "B"), Options{})
					if err != nil {
						t.Fatal(err)
					}
					if got := fmt.Sprintln(r.States, said(r)); got != alone[h.ID] {
						t.Errorf("%s among others:\n%s\nalone\n%s", h.ID, got, alone[h.ID])
					}
				}
				row.Close()
				slices.Reverse(hazards)
			}
		})
	}
}

// TestTwoPanics: which of two panics is told of does not depend on which one an earlier hazard met first.
func TestTwoPanics(t *testing.T) {
	l := makes(func(ctx context.Context, e strategies.Env) error {
		switch free, err := e.Redis.SetNX(ctx, e.Key, e.Name, e.TTL).Result(); {
		case err != nil:
			panic("no reply")
		case !free:
			return strategies.ErrNotAcquired
		}
		e.Clock.Now()
		if e.Redis.Get(ctx, e.Key).Err() != nil {
			panic("it is gone")
		}
		return nil
	})
	told := map[string]bool{}
	for _, first := range []history.Verb{"", history.LoseReply, history.Evict} {
		row := NewRow(t.Context(), l)
		defer row.Close()
		for _, faults := range [][]history.Action{verbs(first), verbs(history.LoseReply, history.Evict)} {
			h := Hazard{Bounds: Bounds{Faults: faults, Budget: 1, Ticks: 1, Depth: 20}}
			if first == "" {
				h.Bounds.Faults = verbs(history.LoseReply, history.Evict)
			}
			r, err := row.Explore(t.Context(), h, h.Config(l, "A", "B"), Options{})
			if err != nil {
				t.Fatal(err)
			}
			if len(h.Bounds.Faults) > 1 {
				told[r.Trouble.String()] = true
			}
		}
	}
	if len(told) != 1 {
		t.Errorf("%v", told)
	}
}
