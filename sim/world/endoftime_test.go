package world_test

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"lockstep/internal/testkit"
	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/world"
	"lockstep/strategies"
)

// TestASleepThatNeverEnds sleeps on the slowest clock: the sleep ends after the
// end of time, and no tick reaches it.
func TestASleepThatNeverEnds(t *testing.T) {
	sleeps := mutantOf(func(ctx context.Context, e strategies.Env) (strategies.Grant, error) {
		return strategies.Grant{}, e.Clock.Sleep(ctx, math.MaxInt64*time.Nanosecond)
	}, nothing)
	w := worldOf(t, "", sleeps)
	play(t, w, "A.rate+1 A")
	until := w.Strands("A")[0].Until
	if until <= history.MaxTime || w.Refusal(history.Action{Verb: history.Tick}).No() {
		t.Errorf("it sleeps until %v, and time may pass until then", until)
	}
}

// TestARecoveryPastTheEndOfTime: such a recovery is undecided.
func TestARecoveryPastTheEndOfTime(t *testing.T) {
	c := history.Default()
	c.Strategy, c.TTL = "set-lua", 277777*3600*history.Second
	s := testkit.Must(history.ParseSchedule("+10000000 A*2 A.crash"))(t)
	if _, _, err := world.Recovers(t.Context(), c, subject(t, "set-lua"), s); !errors.Is(err, sim.ErrUndecided) || !errors.Is(err, sim.ErrEndOfTime) {
		t.Error(err)
	}
}
