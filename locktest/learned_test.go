package locktest

import (
	"fmt"
	"testing"
	"time"

	"lockstep/internal/cache"
	"lockstep/internal/trial"
	"lockstep/sim/explore"
)

// TestLearnedOfALock: what one trial has learned of a lock's code serves another under
// another hazard, and changes nothing of what that reports.
func TestLearnedOfALock(t *testing.T) {
	try := func(v *cache.Verdicts, hazard string) (explore.Report, string) {
		t.Helper()
		o := defaults()
		o.plan.Clients = 3 // what two do is learned too soon to be kept
		tr, err := trial.New(t.Context(), o.plan, time.Minute, "learned", inProcess(withMistake(noToken)))
		if err != nil {
			t.Fatal(err)
		}
		defer tr.Close()
		tr.Cache = v
		h, _ := explore.FindHazard(hazard)
		r := tr.Try(t.Context(), h)
		explored := r.Explored
		r.Took, r.Explored = 0, explore.Report{}
		return explored, fmt.Sprintf("%+v", r)
	}
	v := &cache.Verdicts{Store: cache.Open(t.TempDir()), Code: func(string) (string, bool) { return "code", true }}
	first, _ := try(v, "lost-reply")
	alone, want := try(nil, "late-request")
	after, got := try(v, "late-request")
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if !first.Learned.IsZero() || after.Learned.IsZero() || 4*after.ClientRuns > 3*alone.ClientRuns {
		t.Errorf("code ran %d times, without the cache %d times", after.ClientRuns, alone.ClientRuns)
	}
}
