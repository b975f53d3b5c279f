package explore

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"lockstep/internal/testkit"
	"lockstep/internal/testkit/simtest"
	"lockstep/sim/bubble"
	"lockstep/sim/history"
	"lockstep/sim/world"
	"lockstep/strategies"
)

// taken reports whether the lock's key could not be set, without a pause.
func taken(ctx context.Context, e strategies.Env) bool {
	return errors.Is(simtest.Take(ctx, e, e.Token()[:1]), strategies.ErrNotAcquired)
}

// TestSpins explores code that polls without a pause, and what ends that.
func TestSpins(t *testing.T) {
	for n, tt := range []struct {
		name, hazard string
		lock         func(context.Context, strategies.Env) error
		spins        bool
		limit        string
		finds        string // an invariant; "" for none
	}{
		{"for ever", "contention", func(ctx context.Context, e strategies.Env) error {
			for taken(ctx, e) {
			}
			return nil
		}, true, "", ""},
		{"a counter of 20", "contention", polls(20), false, "", history.MutualExclusion},
		{"a counter of 200", "contention", polls(200), false, "", history.MutualExclusion},
		{"a counter of more rounds than are tried", "contention", polls(1500), true, "", ""}, // that is the assumption
		{"until another releases", "contention", func(ctx context.Context, e strategies.Env) error {
			waited := false
			for taken(ctx, e) {
				waited = true
			}
			if waited {
				e.Redis.Del(ctx, e.Key)
			}
			return nil
		}, true, "", history.PhantomHold},
		{"until a key has expired", "hang", func(ctx context.Context, e strategies.Env) error {
			for taken(ctx, e) {
			}
			return nil
		}, true, "", history.MutualExclusion},
		{"until some time, for which nobody waits", "contention", func(_ context.Context, e strategies.Env) error {
			for end := e.Clock.Now().Add(3 * time.Second); e.Clock.Now().Before(end); {
			}
			return nil
		}, true, "", history.MutualExclusion},
		{"a round of two", "contention", func(ctx context.Context, e strategies.Env) error {
			for {
				if _, err := e.Redis.Get(ctx, e.Key).Result(); err == redis.Nil && !taken(ctx, e) || err != nil && err != redis.Nil {
					return nil
				}
				e.Clock.Now()
			}
		}, true, "", ""},
		{"a round of three", "contention", func(ctx context.Context, e strategies.Env) error {
			for taken(ctx, e) {
				e.Clock.Now()
				_ = e.Clock.Sleep(ctx, 0)
			}
			return nil
		}, true, "", ""},
		{"for what never comes", "contention", func(ctx context.Context, e strategies.Env) error {
			for e.Redis.Get(ctx, e.Key).Err() == redis.Nil {
			}
			return nil
		}, true, "", history.LockRecovers},
		{"with a pause", "contention", func(ctx context.Context, e strategies.Env) error {
			for taken(ctx, e) {
				_ = e.Clock.Sleep(ctx, time.Second)
			}
			return nil
		}, false, "", ""},
	} {
		l := makes(tt.lock)
		test := func(l Lock, rounds ...string) func(*testing.T) {
			return func(t *testing.T) {
				t.Parallel()
				if raced && strings.Contains(tt.name, "200") {
					t.Skip("too slow with the race detector")
				}
				r := check(t, l, tt.hazard)
				if (len(r.Spins) > 0) != tt.spins || slices.ContainsFunc(rounds, func(n string) bool { return strings.Contains(r.Assumptions().String(), "the same "+n+" times over") }) != tt.spins || r.Limit != tt.limit {
					t.Errorf("spins: %v; limit %q; %s", r.Spins, r.Limit, r.Assumptions())
				}
				if tt.finds != "" && !found(&r, tt.finds) || tt.finds == "" && len(r.Found) > 0 {
					t.Errorf("found%s, want %q", lengths(r), tt.finds)
				}
				if f := r.Worst(); f != nil {
					replays(t, &r, l, f)
				}
				t.Log(r.States, "states, depth", r.Depth, lengths(r), r.Spins)
			}
		}
		t.Run(tt.name, test(l, "1000"))
		switch {
		case n%2 == 1 && testkit.Size(t, 1, 1) == 1:
		case strings.Contains(tt.name, "time"): // a clock in a bubble is read unseen
		case strings.Contains(tt.name, "200"), strings.Contains(tt.name, "never comes"): // each step starts it again
		default:
			l.Subject.Start = bubble.Start
			t.Run(tt.name+", in a bubble", test(l, "200", "100"))
		}
	}
}

// polls tries n times and then enters without the lock.
func polls(n int) func(context.Context, strategies.Env) error {
	return func(ctx context.Context, e strategies.Env) error {
		for range n {
			if !taken(ctx, e) {
				break
			}
		}
		return nil
	}
}

// replays plays a counterexample in a world. A world's bounds do not let time
// pass while code spins, because a world does not detect spins.
func replays(t *testing.T, r *Report, l Lock, f *Found) {
	t.Helper()
	next := 0
	simtest.Violates(t, r.Config, l.Subject, f.Schedule, f.Violation.Invariant, func(*world.World, int) []history.Action {
		next++
		return f.Schedule[next-1 : next]
	})
}

// TestWhoCountsDoesNotSpin: code that seems to spin but counts its rounds,
// wherever it stops.
func TestWhoCountsDoesNotSpin(t *testing.T) {
	for name, counts := range map[string]int{"until it is free": 500, "until time has passed": 500, "in a bubble": 100} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			clocked := name == "until time has passed"
			l := makes(func(ctx context.Context, e strategies.Env) error {
				began, n := e.Clock.Now(), 0
				late := false
				for ; !late && taken(ctx, e); n++ {
					late = e.Clock.Now().After(began) && clocked
				}
				if n > counts && late == clocked {
					e.Redis.Del(ctx, e.Key)
				}
				return nil
			})
			if name == "in a bubble" {
				l.Subject.Start = bubble.Start
			}
			r := check(t, l, "contention", func(h *Hazard) {
				if h.Bounds.Depth = 25; !clocked { // it becomes free without a sign on the clock
					h.Set, h.Bounds.Ticks = nil, 0
				}
			})
			if len(r.Spins) > 0 || r.Limit != "depth" {
				t.Errorf("spins: %v; limit %q", r.Spins, r.Limit)
			}
		})
	}
}

// TestSpinsAreTold: who spins, doing what, where, and only under a hazard in which it does.
func TestSpinsAreTold(t *testing.T) {
	if r := check(t, lockOf(t, "weak-token"), "crash"); len(r.Spins) > 0 {
		t.Errorf("%v", r.Spins)
	}
	r := check(t, lockOf(t, "weak-token"), "client-clock", func(h *Hazard) { h.Bounds.States = 5000 })
	if v, why := r.Verdict(); v != Violated || len(r.Spins) != 2 {
		t.Fatalf("%s (%s), %v", v, why, r.Spins)
	}
	const want = "A sends SET lock:stock 695661c000000 EX 5 NX, reads its clock, sleeps 0s over and over while no time passes (strategies/weak_token.go:29)"
	if r.Spins[0].String() != want {
		t.Errorf("%q", r.Spins[0])
	}
}
