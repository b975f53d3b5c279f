package locktest_test

import (
	"context"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/locktest"
	"lockstep/sim/explore"
)

// TestSpins: code that spins in a process of its own is explored to its end.
func TestSpins(t *testing.T) {
	if testkit.Raced {
		t.Skip("too slow with the race detector")
	}
	r := locktest.Tried(t, func(c locktest.Client) (locktest.Lock, error) {
		return locktest.Funcs(func(ctx context.Context) error {
			for {
				if ok, err := c.Redis.SetNX(ctx, c.Key, c.Name, 0).Result(); ok || err != nil {
					return err
				}
			}
		}, func(ctx context.Context) error { return c.Redis.Del(ctx, c.Key).Err() }), nil
	}, "contention")
	if r != nil && (r.Verdict != explore.Holds || r.Explored.Limit != "" || len(r.Explored.Spins) != 2) { // it refuses nobody, but one waits for the other
		t.Errorf("%v, %v, %v", r.Verdict, r.Reason, r.Explored.Spins)
	}
}
