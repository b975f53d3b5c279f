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

// TestKnownLengths pins counterexamples, their lengths, and the sizes of
// worlds. A change of these figures must be understood.
func TestKnownLengths(t *testing.T) {
	t.Parallel()
	tests := []struct {
		lock, hazard string
		verdict      Verdict
		states       int
		found        string
	}{
		{"setnx", "contention", Holds, 64, ""},
		{"setnx", "crash", Violated, 122, " lock-recovers=3"},
		{"setnx", "lost-reply", Violated, 329, " lock-recovers=2 self-deadlock=7"},
		{"setnx", "client-clock", Vacuous, 708, ""},
		{"set-lua", "client-clock", Violated, 894, " mutual-exclusion=9 phantom-hold=6 stale-write=13 lost-update=19"},
		{"setnx", "script-flush", Vacuous, 128, ""},
		{"setnx-expire", "crash", Violated, 212, " lock-recovers=3"},
		{"set-lua", "crash", Holds, 200, ""},
		{"set-lua", "script-flush", Holds, 160, ""},
		{"set-lua", "overrun", Violated, 971, " mutual-exclusion=7 phantom-hold=3 stale-write=10 lost-update=11"},
		{"getset-timestamp", "overrun", Violated, 2347, " mutual-exclusion=12 foreign-release=15 phantom-hold=10 self-deadlock=15 stale-write=15 lost-update=16"},
		{"optimistic-version", "overrun", Holds, -1, ""},
		{"set-lua", "reentry", Violated, 72, " self-deadlock=5"},
		{"set-del", "overrun", Violated, 601, " mutual-exclusion=7 foreign-release=10 phantom-hold=3 stale-write=10 lost-update=11"},
		{"get-then-del", "overrun", Violated, 833, " mutual-exclusion=7 foreign-release=11 phantom-hold=3 stale-write=10 lost-update=11"},
		{"reentrant-leak", "contention", Violated, 64, " leak=8"},
		{"reentrant-misprint", "contention", Violated, 122, " mutual-exclusion=4 phantom-hold=1 stale-write=9 lost-update=11"},
		{"reentrant-counter", "reentry", Holds, 64, ""},
		{"set-get-idempotent", "lost-reply", Holds, -1, ""},
		{"optimistic-version", "contention", Holds, -1, ""},
		{"fenced", "overrun", Violated, 1915, " mutual-exclusion=8 phantom-hold=4"},
	}
	for _, tt := range tests {
		h, _ := FindHazard(tt.hazard)
		h.Bounds.Exact = true
		r, err := Check(t.Context(), h, lockOf(t, tt.lock), Options{}, "A", "B")
		if err != nil {
			t.Fatal(err)
		}
		verdict, reason := r.Verdict()
		if verdict != tt.verdict || lengths(r) != tt.found || tt.states >= 0 && r.States != tt.states {
			t.Errorf("%s, %s: %s (%s), %d states,%s; want %s, %d states,%s", tt.lock, tt.hazard, verdict, reason, r.States, lengths(r), tt.verdict, tt.states, tt.found)
		}
		if verdict == Vacuous && reason.None() {
			t.Errorf("%s, %s: vacuous without a reason", tt.lock, tt.hazard)
		}
	}
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
