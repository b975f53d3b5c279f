package locktest

import (
	"strings"
	"testing"
	"time"

	"lockstep/internal/trial"
	"lockstep/sim/explore"
)

// TestRetries: go-redis sends again what was lost, after a wait of the client's own
// clock, and who finds its own token under the key then takes it for another's.
func TestRetries(t *testing.T) {
	o := defaults()
	Retries(1)(&o)
	host := hosted(t, withMistake(none), 1, &o)
	if host == nil {
		return
	}
	tr, err := trial.New(t.Context(), o.plan, time.Minute, "retries", o.plan.Subject(host.Start))
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	h, _ := explore.FindHazard("lost-reply")
	r := tr.Try(t.Context(), h)
	if !r.Passes() || !strings.Contains(r.Assumptions, "retries of go-redis: 1") || len(r.Found) != 1 || r.Found[0].Invariant != "self-deadlock" {
		t.Errorf("%+v", r)
	}
}
