package explore

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"lockstep/sim"
	"lockstep/strategies"
)

// troubled are locks whose code does not come to the seam, or panics, once it
// has been refused; and what a report says of it.
func troubled(over context.Context) map[string]Lock {
	refused := func(do func()) Lock {
		return makes(func(ctx context.Context, e strategies.Env) error {
			err := take(ctx, e, 1)
			if err != nil {
				do()
			}
			return err
		})
	}
	return map[string]Lock{
		"chan receive at explore/trouble_test.go:":                                       refused(func() { <-over.Done() }),
		"panicked: boom at explore/trouble_test.go:":                                     refused(func() { panic("boom") }),
		"panicked: unexpected call to os.Exit(0) during test at explore/trouble_test.go": refused(func() { os.Exit(0) }),
	}
}

// TestTroubleIsNoPass: neither an exploration nor a hunt nor a cell of the
// matrix says HOLDS of it, or waits for ever.
func TestTroubleIsNoPass(t *testing.T) {
	before := sim.SetPatience(300 * time.Millisecond)
	defer sim.SetPatience(before)
	over, end := context.WithCancel(context.Background())
	defer end()
	h, _ := FindHazard("contention")
	for want, lock := range troubled(over) {
		reports := map[string]Report{}
		for name, o := range map[string]Options{"one worker": {}, "two workers": {Jobs: 2}} {
			r, err := Check(t.Context(), h, lock, o, "A", "B")
			if err != nil {
				t.Errorf("%s, %s: %v", want, name, err)
			}
			reports[name] = r
		}
		hunted, err := Hunt(t.Context(), h.Config(lock, "A", "B"), lock.Subject, h.Bounds, HuntOptions{Pick: Walk, Runs: 50, Jobs: 2})
		if err != nil {
			t.Errorf("%s: %v", want, err)
		}
		reports["hunt"] = hunted.Report
		cells, err := Matrix(t.Context(), []Lock{lock}, []Hazard{h}, []string{"A", "B"}, Bounds{States: 1000, Depth: 100}, 1, nil)
		if err != nil {
			t.Fatalf("%s: %v", want, err)
		}
		reports["matrix"] = cells[0].Report
		for name, r := range reports {
			if v, why := r.Verdict(); v != Inconclusive || !strings.Contains(why, want) {
				t.Errorf("%s: %s, %q, want %q:%s", name, v, why, want, lengths(r))
			}
		}
	}
}

// TestAnInterruptReachesStuckCode long before it is given up.
func TestAnInterruptReachesStuckCode(t *testing.T) {
	before := sim.SetPatience(10 * time.Second)
	defer sim.SetPatience(before)
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
