// Package simtest is shared by the tests of the packages above sim: locks to try, and a
// replay of schedules.
package simtest

import (
	"context"
	"slices"
	"testing"

	"lockstep/internal/testkit/judge"
	"lockstep/sim/bubble"
	"lockstep/sim/history"
	"lockstep/sim/program"
	"lockstep/sim/world"
	"lockstep/strategies"
)

// Subject returns a lock of the catalogue.
func Subject(t testing.TB, id string) program.Subject {
	t.Helper()
	info, ok := strategies.Find(id)
	if !ok {
		t.Fatalf("no lock %q", id)
	}
	return bubble.Subject(info)
}

// A made lock has any given Lock function.
type made struct {
	strategies.Env
	lock func(context.Context, strategies.Env) error
}

func (m made) Lock(ctx context.Context) (strategies.Grant, error) {
	return strategies.Grant{}, m.lock(ctx, m.Env)
}

func (m made) Unlock(ctx context.Context, _ strategies.Grant) error {
	return m.Redis.Del(ctx, m.Key).Err()
}

// Made returns a lock with that Lock function.
func Made(lock func(context.Context, strategies.Env) error) program.Subject {
	return program.Subject{Nodes: 1, New: func(e strategies.Env) strategies.Lock { return made{e, lock} }}
}

// Take acquires as most locks do.
func Take(ctx context.Context, e strategies.Env, token any) error {
	ok, err := e.Redis.SetNX(ctx, e.Key, token, e.TTL).Result()
	if err == nil && !ok {
		return strategies.ErrNotAcquired
	}
	return err
}

// Violates plays a schedule independently of the code that found it: each action must
// be allowed where it stands, and the last one, and no earlier one, violates the
// invariant. allowed lists what may happen in a world after n of the actions.
func Violates(t testing.TB, config history.Config, subject program.Subject, s history.Schedule, invariant string, allowed func(w *world.World, n int) []history.Action) {
	t.Helper()
	w, err := world.New(config, subject)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	defer func() { judge.Agree(t, w.History()) }()
	violated := func() bool {
		return slices.ContainsFunc(history.Check(w.History()), func(v history.Violation) bool { return v.Invariant == invariant })
	}
	for n, a := range s {
		if !slices.Contains(allowed(w, n), a) {
			t.Errorf("%s: action %d is not within the bounds", s, n+1)
		}
		if violated() {
			t.Errorf("%s violates %s after %d actions", s, invariant, n)
		}
		if err := w.Perform(a); err != nil {
			t.Fatal(err)
		}
	}
	ok := violated()
	if invariant == history.LockRecovers {
		recovers, _, err := world.Recovers(t.Context(), config, subject, s)
		ok = !recovers && err == nil
	}
	if invariant == history.LostWakeup {
		v, err := world.LostWakeup(t.Context(), config, subject, s)
		ok = v != nil && err == nil
	}
	if !ok {
		t.Errorf("%s does not violate %s", s, invariant)
	}
}
