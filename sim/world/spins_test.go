package world_test

import (
	"context"
	"sync/atomic"
	"testing"

	"lockstep/internal/testkit/simtest"
	"lockstep/sim/bubble"
	"lockstep/sim/history"
	"lockstep/sim/world"
	"lockstep/strategies"
)

// TestRecoversPastASpin: while clients with timers of their own spin, time passes soon, since
// each of their steps starts them again.
func TestRecoversPastASpin(t *testing.T) {
	for _, tt := range []struct {
		name     string
		ttl      bool
		recovers bool
		most     int64 // tries, of all starts
	}{
		{"until a key has expired", true, true, 200},
		{"for ever", false, false, 10_000},
	} {
		var tries atomic.Int64
		s := simtest.Made(func(ctx context.Context, e strategies.Env) error {
			for {
				ttl := e.TTL
				if !tt.ttl {
					ttl = 0
				}
				tries.Add(1)
				ok, err := e.Redis.SetNX(ctx, e.Key, "it", ttl).Result()
				if ok || err != nil {
					return err
				}
			}
		})
		s.Start = bubble.Start
		c, err := history.ParseConfig("strategy=made clients=A,B")
		if err != nil {
			t.Fatal(err)
		}
		w, err := world.New(c, s)
		if err != nil {
			t.Fatal(err)
		}
		schedule, err := history.ParseSchedule("A*3 A.crash B*3")
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Run(schedule); err != nil {
			t.Fatal(err)
		}
		recovers, _, err := w.Recovers()
		if n := tries.Load(); err != nil || recovers != tt.recovers || n > tt.most {
			t.Errorf("%s: %t after %d tries, %v", tt.name, recovers, n, err)
		}
		w.Close()
	}
}
