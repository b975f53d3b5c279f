package explore

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/internal/testkit/judge"
	"lockstep/internal/testkit/simtest"
	"lockstep/sim/history"
	"lockstep/sim/program"
	"lockstep/sim/world"
	"lockstep/strategies"
)

// check explores a lock of the catalogue under a hazard, with two clients.
func check(t *testing.T, lock, hazard string) Report {
	t.Helper()
	h, ok := FindHazard(hazard)
	if !ok {
		t.Fatalf("no hazard %q", hazard)
	}
	r, err := Check(t.Context(), h, lockOf(t, lock), Options{}, "A", "B")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestEveryScheduleReproduces plays counterexamples in a real world.
func TestEveryScheduleReproduces(t *testing.T) {
	t.Parallel()
	for _, hazard := range testkit.Some(t, []string{"contention", "crash", "overrun", "lost-reply"}, 4, 2) {
		for _, lock := range []string{"setnx", "set-del", "get-then-del", "reentrant-leak", "reentrant-misprint", "multi-setnx-expire"} {
			r := check(t, lock, hazard)
			for _, f := range r.Found {
				if f.Violation.Invariant == history.LockRecovers {
					continue // decided by running on, in a real world
				}
				w, err := world.New(r.Config, simtest.Subject(t, lock))
				if err != nil {
					t.Fatal(err)
				}
				err = w.Run(f.Schedule)
				found := history.Check(w.History())
				judge.Agree(t, w.History())
				w.Close()
				if err != nil {
					t.Errorf("%s, %s, %s: %v", lock, hazard, f.Schedule, err)
				}
				if !slices.ContainsFunc(found, func(v history.Violation) bool { return v.Invariant == f.Violation.Invariant }) {
					t.Errorf("%s, %s: %s does not violate %s", lock, hazard, f.Schedule, f.Violation.Invariant)
				}
			}
		}
	}
}

// TestLimitsAreNeverAPass sets each limit so that it cuts a proof, and to just
// where a violation is.
func TestLimitsAreNeverAPass(t *testing.T) {
	h, _ := FindHazard("contention")
	for _, limit := range []Bounds{{States: 1}, {States: 32}, {Depth: 1}, {Depth: 12}} {
		b := h.Bounds
		b.States, b.Depth = limit.States, limit.Depth
		r, err := Explore(t.Context(), h.Config(lockOf(t, "setnx"), "A", "B"), simtest.Subject(t, "setnx"), b, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if verdict, reason := r.Verdict(); verdict != Inconclusive || reason.None() {
			t.Errorf("states %d, depth %d: %s %q", b.States, b.Depth, verdict, reason)
		}
	}
	for depth, want := range map[int]Verdict{7: Inconclusive, 8: Violated} {
		b := h.Bounds
		b.Depth = depth
		r, err := Explore(t.Context(), h.Config(lockOf(t, "reentrant-leak"), "A", "B"), simtest.Subject(t, "reentrant-leak"), b, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if verdict, _ := r.Verdict(); verdict != want {
			t.Errorf("a violation at depth 8, explored to %d: %s, want %s", depth, verdict, want)
		}
	}
}

// TestFirst: Enough stops at the first violation, and nowhere else.
func TestFirst(t *testing.T) {
	h, _ := FindHazard("overrun")
	r, err := Check(t.Context(), h, lockOf(t, "set-del"), Options{Enough: func(string) bool { return true }}, "A", "B")
	if err != nil || lengths(r) != " phantom-hold=3" || r.Limit != FirstViolation || r.States > 100 || !r.Found[0].Shortest {
		t.Errorf("set-del:%s, %q, %d states, %v", lengths(r), r.Limit, r.States, err)
	}
	r, err = Check(t.Context(), h, lockOf(t, "setnx"), Options{Enough: func(string) bool { return true }}, "A", "B")
	if v, _ := r.Verdict(); err != nil || v != Holds {
		t.Errorf("setnx: %s, %v", v, err)
	}
}

// fickle is a lock whose code depends on more than its observations.
type fickle struct {
	strategies.Env
	calls *atomic.Int64 // clients learn at the same time
}

func (f fickle) Lock(ctx context.Context) (strategies.Grant, error) {
	token := strings.Repeat("x", int(f.calls.Add(1)))
	return strategies.Grant{}, f.Redis.Set(ctx, f.Key, token, f.TTL).Err()
}

func (f fickle) Unlock(ctx context.Context, _ strategies.Grant) error {
	return f.Redis.Del(ctx, f.Key).Err()
}

func TestNondeterminismIsAnError(t *testing.T) {
	calls := atomic.Int64{}
	s := program.Subject{Nodes: 1, New: func(e strategies.Env) strategies.Lock { return fickle{e, &calls} }}
	h, _ := FindHazard("contention")
	_, err := Explore(t.Context(), h.Config(Lock{"fickle", s}, "A", "B"), s, h.Bounds, Options{})
	if !errors.Is(err, program.ErrNondeterministic) {
		t.Fatalf("got %v", err)
	}
	for _, words := range []string{"once", "again", "SET lock:stock x"} {
		if !strings.Contains(err.Error(), words) {
			t.Errorf("%q does not say %q", err, words)
		}
	}
}
