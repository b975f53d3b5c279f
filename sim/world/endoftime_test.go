package world_test

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/world"
	"lockstep/strategies"
)

// TestTimeEnds: no action moves the world's time past its end, or a clock
// further than that from it. The last action of each schedule would, and is
// refused.
func TestTimeEnds(t *testing.T) {
	const most, least = history.Millis(math.MaxInt64), history.Millis(math.MinInt64)
	advance := func(by history.Millis) history.Action { return history.Action{Verb: history.Advance, By: by} }
	jump := func(by history.Millis) history.Action { return history.Action{Verb: history.Jump, Client: "A", By: by} }
	turn := func(by history.Millis) history.Action { return history.Action{Verb: history.Jump, Node: "r1", By: by} }
	fast := history.Action{Verb: history.Rate, Client: "A", By: history.MaxRate}
	slow := history.Action{Verb: history.Rate, Client: "A", By: 1}
	fastNode := history.Action{Verb: history.Rate, Node: "r1", By: history.MaxRate}
	crash := history.Action{Verb: history.Crash, Client: "A"}
	for name, s := range map[string]history.Schedule{
		"one leap":               {advance(history.MaxTime + 1)},
		"two":                    {advance(history.MaxTime), advance(1)},
		"as far as a number is":  {advance(5), advance(most)},
		"a jump":                 {jump(history.MaxTime + 1)},
		"two jumps":              {jump(history.MaxTime), jump(1)},
		"back":                   {advance(history.MaxTime), jump(-history.MaxTime), jump(-1)},
		"the furthest jump":      {jump(5), jump(most)},
		"the furthest jump back": {jump(-5), jump(least)},
		"a node's":               {turn(history.MaxTime), turn(1)},
		"a node's, back":         {turn(-1), turn(least)},
		"a fast clock":           {fast, advance(1_001_001_001), advance(1)},
		"a node's fast clock":    {fastNode, advance(1_001_001_001), advance(1)},
		"after a slow one":       {slow, advance(history.MaxTime), jump(-1_000_000_001)},
		"somebody else is dead":  {fast, advance(1_001_001_001), crash, advance(history.MaxTime - 1_001_001_001), advance(1)},
	} {
		w := worldOf(t, "", mutantOf(setNX, del))
		last := len(s) - 1
		if err := w.Run(s[:last]); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := w.Perform(s[last]); !errors.Is(err, world.ErrNotEnabled) || len(w.History().Schedule) != last {
			t.Errorf("%s: %v was performed: %v", name, s[last], err)
		}
	}
}

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
	s, err := history.ParseSchedule("+10000000 A*2 A.crash")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := world.Recovers(t.Context(), c, subject(t, "set-lua"), s); !errors.Is(err, sim.ErrUndecided) || !errors.Is(err, sim.ErrEndOfTime) {
		t.Error(err)
	}
}
