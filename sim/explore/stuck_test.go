package explore

import (
	"context"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"lockstep/sim/program"
	"lockstep/strategies"
)

// TestAnInterruptReachesStuckCode: an interrupt ends the wait long before the
// patience ends.
func TestAnInterruptReachesStuckCode(t *testing.T) {
	before := program.SetPatience(10 * time.Second)
	defer program.SetPatience(before)
	over, end := context.WithCancel(context.Background())
	defer end()
	lock := makes(func(context.Context, strategies.Env) error {
		<-over.Done()
		return nil
	})
	h, _ := FindHazard("contention")
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	r, err := Check(ctx, h, lock, Options{}, "A", "B")
	if v, _ := r.Verdict(); err != nil || v != Inconclusive {
		t.Errorf("%s, %v", v, err)
	}
}

// TestStuckCodeIsNotTriedOverAndOver: each try waits for as long as the patience lasts, and
// leaves a goroutine behind. Here several ways of the same length are stuck.
func TestStuckCodeIsNotTriedOverAndOver(t *testing.T) {
	before := program.SetPatience(300 * time.Millisecond)
	defer program.SetPatience(before)
	var stuck atomic.Int32
	end := make(chan struct{})
	defer close(end)
	l := makes(func(ctx context.Context, e strategies.Env) error {
		read := 0
		for i := range 6 {
			e.Go("reader "+strconv.Itoa(i), func() {
				_ = e.Redis.Get(ctx, e.Key).Err()
				if read++; read == 2 {
					stuck.Add(1)
					<-end
				}
			})
		}
		return strategies.ErrNotAcquired
	})
	r := check(t, l, "contention")
	if v, _ := r.Verdict(); v != Inconclusive {
		t.Error(v)
	}
	if n := stuck.Load(); n == 0 || n > 3 {
		t.Errorf("%d runs were stuck", n)
	}
}
