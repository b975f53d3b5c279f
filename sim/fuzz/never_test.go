package fuzz

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"testing"

	"lockstep/sim/explore"
	"lockstep/sim/history"
	"lockstep/sim/program"
	"lockstep/sim/world"
	"lockstep/strategies"
)

// TestALockThatNobodyEverAcquires: a lock that is never acquired violates
// lock-recovers without any action, explored and hunted. It is a common first
// attempt of learners.
func TestALockThatNobodyEverAcquires(t *testing.T) {
	for name, lock := range map[string]func(context.Context, strategies.Env) error{
		"refuses": func(context.Context, strategies.Env) error { return strategies.ErrNotAcquired },
		"fails":   func(context.Context, strategies.Env) error { return errors.New("no such thing") },
		"panics":  func(context.Context, strategies.Env) error { panic("boom") },
		"exits":   func(context.Context, strategies.Env) error { runtime.Goexit(); return nil },
	} {
		l := makes(lock)
		r := explored(t, l, "contention")
		wantNever(t, name+", explored", l.Subject, &r)
		h, _ := explore.FindHazard("contention")
		hunted, err := Hunt(t.Context(), h.Config(l, "A", "B"), l.Subject, h.Bounds, Options{BugDepth: 2, Runs: 5, Seed: 1})
		if err != nil {
			t.Fatal(name, err)
		}
		wantNever(t, name+", hunted", l.Subject, &hunted)
	}
}

func wantNever(t *testing.T, name string, s program.Subject, r *explore.Report) {
	t.Helper()
	r.Found = slices.DeleteFunc(r.Found, func(f explore.Found) bool { return f.Violation.Invariant == history.Panics && len(f.Schedule) == 1 })
	if len(r.Found) != 1 || r.Found[0].Violation.Invariant != history.LockRecovers || len(r.Found[0].Schedule) > 0 {
		t.Errorf("%s: %+v; want lock-recovers after no action", name, r.Found)
		return
	}
	v, err := world.FindOrphan(t.Context(), history.History{Config: r.Config, Nodes: s.Nodes}, s)
	if err != nil || v == nil || v.Detail.String() != r.Found[0].Violation.Detail.String() || !r.Found[0].Violation.FromTheStart() {
		t.Errorf("%s: found %+v, played %+v, %v", name, r.Found[0].Violation, v, err)
	}
}
