package locktest

import (
	"strings"
	"testing"
	"time"

	"lockstep/sim/explore"
	"lockstep/verdict"
)

// TestNoClockIsSetBack: what cannot be had is not said to have been tried.
func TestNoClockIsSetBack(t *testing.T) {
	o := defaults()
	trial, err := verdict.New(t.Context(), o.plan, time.Minute, "clock", inProcess(withMistake(none)))
	if err != nil {
		t.Fatal(err)
	}
	defer trial.Close()
	h, _ := explore.FindHazard("client-clock")
	if r := trial.Try(t.Context(), h); strings.Contains(r.Assumptions, "jump -") || !strings.Contains(r.Assumptions, "no client's clock is set back") || !strings.Contains(r.Assumptions, "jump 10s") {
		t.Errorf("%+v", r)
	}
}
