package explore

import (
	"context"
	"testing"
	"time"

	"lockstep/internal/testkit/simtest"
	"lockstep/sim"
	"lockstep/strategies"
)

// TestNobodyKnowsWhetherItRecovers: a client that waits for a message is no lost wake-up if
// nobody knows whether the lock recovers, as the probe polls more often than anybody tries.
func TestNobodyKnowsWhetherItRecovers(t *testing.T) {
	l := makes(func(ctx context.Context, e strategies.Env) error {
		if e.Name == sim.Probe {
			for e.Redis.Get(ctx, e.Key).Err() != nil || true {
				_ = e.Clock.Sleep(ctx, time.Millisecond)
			}
		}
		if err := simtest.Take(ctx, e, 1); err == nil {
			return nil
		}
		channel := e.Redis.Subscribe(ctx, "channel")
		defer channel.Close()
		_, err := channel.ReceiveMessage(ctx)
		return err
	})
	r := check(t, l, "contention")
	if v, _ := r.Verdict(); v != Inconclusive || r.Limit != "recovery" {
		t.Errorf("%s, limit %q:%s", v, r.Limit, lengths(r))
	}
}
