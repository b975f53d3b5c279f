package fuzz

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"lockstep/internal/testkit/simtest"
	"lockstep/sim/explore"
	"lockstep/sim/history"
	"lockstep/sim/program"
	"lockstep/strategies"
)

// troubled are locks whose code does not reach the seam, or panics, after a
// refusal, with the verdict and what it says.
func troubled(over context.Context) map[string]explore.Lock {
	refused := func(do func()) explore.Lock {
		return makes(func(ctx context.Context, e strategies.Env) error {
			err := simtest.Take(ctx, e, 1)
			if err != nil {
				do()
			}
			return err
		})
	}
	return map[string]explore.Lock{
		"INCONCLUSIVE chan receive at fuzz/trouble_test.go:":                               refused(func() { <-over.Done() }),
		"VIOLATED panic boom at fuzz/trouble_test.go:":                                     refused(func() { panic("boom") }),
		"VIOLATED panic unexpected call to os.Exit(0) during test at fuzz/trouble_test.go": refused(func() { os.Exit(0) }),
	}
}

// TestTroubleIsNoPass: neither an exploration nor a hunt nor a cell of the
// matrix reports HOLDS for such a lock, or waits forever.
func TestTroubleIsNoPass(t *testing.T) {
	before := program.SetPatience(300 * time.Millisecond)
	defer program.SetPatience(before)
	over, end := context.WithCancel(context.Background())
	defer end()
	h, _ := explore.FindHazard("contention")
	for want, lock := range troubled(over) {
		reports := map[string]explore.Report{}
		r, err := explore.Explore(t.Context(), h.Config(lock, "A", "B"), lock.Subject, h.Bounds, explore.Options{})
		if err != nil {
			t.Errorf("%s: %v", want, err)
		}
		reports["explored"] = r
		hunted, err := Hunt(t.Context(), h.Config(lock, "A", "B"), lock.Subject, h.Bounds, Options{BugDepth: 3, Runs: 50, Jobs: 2})
		if err != nil {
			t.Errorf("%s: %v", want, err)
		}
		reports["hunt"] = hunted
		cells, err := explore.Matrix(t.Context(), []explore.Lock{lock}, []explore.Hazard{h}, explore.Within(explore.Bounds{States: 1000, Depth: 100}, "A", "B"), 1, nil, nil)
		if err != nil {
			t.Fatalf("%s: %v", want, err)
		}
		reports["matrix"] = cells[0]
		for name, r := range reports {
			v, why := r.Verdict()
			said := why.String()
			if f := r.Of(history.Panics); f != nil {
				said = "panic " + f.Violation.Detail.String()
			}
			if verdict, text, _ := strings.Cut(want, " "); string(v) != verdict || !strings.Contains(said, text) {
				t.Errorf("%s: %s, %q, want %q:%s", name, v, said, want, lengths(r.Found))
			}
		}
	}
}
