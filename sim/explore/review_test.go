package explore

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"lockstep/sim/history"
	"lockstep/sim/program"
	"lockstep/strategies"
)

// sharing is a lock with two strands that share a variable.
type sharing struct{ randomLock }

func (p sharing) Lock(ctx context.Context) (strategies.Grant, error) {
	if p.Redis.Do(ctx, "SET", p.Key, p.Token(), "NX", "PX", p.TTL.Milliseconds()).Err() != nil {
		return strategies.Grant{}, strategies.ErrNotAcquired
	}
	stopped := false
	p.Go("stopper", func() {
		_ = p.Clock.Sleep(ctx, time.Second)
		stopped = true
	})
	p.Go("watchdog", func() {
		_ = p.Clock.Sleep(ctx, time.Second)
		if !stopped {
			_ = p.Redis.Del(ctx, p.Key).Err()
		}
	})
	return strategies.Grant{}, nil
}

// TestStrandsOfOneClient: the order of two strands of one client matters, even
// of steps that no other client can observe.
func TestStrandsOfOneClient(t *testing.T) {
	s := program.Subject{Nodes: 1, New: func(e strategies.Env) strategies.Lock { return sharing{randomLock{Env: e}} }}
	h, _ := FindHazard("contention")
	h.Bounds.States = 200_000
	r, err := Check(t.Context(), h, Lock{"sharing", s}, Options{First: true}, "A", "B")
	if err != nil || len(r.Found) == 0 {
		t.Errorf("nothing is found in %d states, %v", r.States, err)
	}
}

// TestNamesOfWhoDidIt: a text names the clients of its schedule, not those of
// another that leads to the same state.
func TestNamesOfWhoDidIt(t *testing.T) {
	r := check(t, lockOf(t, "set-del"), "overrun")
	for _, f := range r.Found {
		if f.Violation.Invariant == history.LostUpdate && f.Violation.Client == f.Violation.Other {
			t.Errorf("%+v", f.Violation)
		}
	}
}

// TestNoEndingNoPoint: without any ending within the bounds, the point is
// unknown.
func TestNoEndingNoPoint(t *testing.T) {
	r := check(t, lockOf(t, "reentrant-misprint"), "contention", func(h *Hazard) { h.Bounds.Ticks = 0 })
	if len(r.Found) == 0 {
		t.Fatal("nothing is found")
	}
	for _, f := range r.Found {
		if f.Point != 0 {
			t.Errorf("%s: the point of no return is %d", f.Violation.Invariant, f.Point)
		}
	}
}

// moody is a lock that sometimes ignores a refusal.
type moody struct {
	randomLock
	mood *rand.Rand
}

func (p moody) Lock(ctx context.Context) (strategies.Grant, error) {
	err := p.Redis.Do(ctx, "SET", p.Key, p.Token(), "NX", "PX", p.TTL.Milliseconds()).Err()
	if err != nil && p.mood.IntN(2) == 0 {
		return strategies.Grant{}, strategies.ErrNotAcquired
	}
	return strategies.Grant{}, nil
}

// TestDivergingRunsAreTold: code that differs in a second run is an error, and
// nothing waits for it forever.
func TestDivergingRunsAreTold(t *testing.T) {
	h, _ := FindHazard("overrun")
	h.Bounds.States = 2000
	reported := 0
	for seed := range uint64(12) {
		mood := rand.New(rand.NewPCG(seed, 1))
		s := program.Subject{Nodes: 1, New: func(e strategies.Env) strategies.Lock { return moody{randomLock{Env: e}, mood} }}
		switch _, err := Check(t.Context(), h, Lock{"moody", s}, Options{}, "A", "B"); {
		case errors.Is(err, program.ErrNondeterministic):
			reported++
		case err != nil:
			t.Errorf("seed %d: %v", seed, err)
		}
	}
	if reported < 6 {
		t.Errorf("only %d of 12 were told", reported)
	}
}
