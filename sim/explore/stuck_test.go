package explore

import (
	"context"
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
