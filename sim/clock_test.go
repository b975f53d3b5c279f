package sim

import (
	"testing"
	"time"

	"lockstep/sim/history"
)

// TestAClockAndTheWorld: the last moment of the world at which a clock shows no
// more than something is the last indeed, on clocks of any rate.
func TestAClockAndTheWorld(t *testing.T) {
	for _, c := range []Clock{{}, {Ahead: -10_000_000}, {Drift: 3000}, {Ahead: 333, Drift: -750}, {Ahead: -10_000_001, Drift: -1}, {Ahead: 7, Drift: 1}} {
		for at := history.Millis(-50); at < 50; at++ {
			last := c.Last(at)
			if c.Millis(last) > at || c.Millis(last+1) <= at {
				t.Errorf("%+v: last shows up to %d at %d; it shows %d then, and %d next", c, at, last, c.Millis(last), c.Millis(last+1))
			}
			if by := history.Millis(12345); c.Shift(by).Millis(last+by) != c.Millis(last)+by {
				t.Errorf("%+v: shifted it shows %d, not %d", c, c.Shift(by).Millis(last+by), c.Millis(last)+by)
			}
		}
	}
}

// TestWhatAClockShows: at any time, after any fault.
func TestWhatAClockShows(t *testing.T) {
	jump := func(by history.Millis) history.Action { return history.Action{Verb: history.Jump, By: by} }
	rate := func(by history.Millis) history.Action { return history.Action{Verb: history.Rate, By: by} }
	type turn struct {
		at     history.Millis
		action history.Action
	}
	for _, test := range []struct {
		turns []turn
		now   history.Millis
		shows time.Duration
		ahead history.Millis
	}{
		{nil, 40, 40 * ms, 0},
		{[]turn{{10, jump(5)}}, 40, 45 * ms, 5},
		{[]turn{{10, jump(-50)}}, 40, -10 * ms, -50},
		{[]turn{{10, rate(1500)}}, 10, 10 * ms, 0},
		{[]turn{{10, rate(1500)}}, 41, 56500 * time.Microsecond, 15},
		{[]turn{{10, rate(250)}}, 50, 20 * ms, -30},
		{[]turn{{10, rate(2000)}, {20, rate(1000)}}, 50, 60 * ms, 10},
		{[]turn{{10, rate(2000)}, {20, jump(3)}, {20, rate(500)}}, 40, 43 * ms, 3},
	} {
		var c Clock
		for _, turn := range test.turns {
			before := c.read(turn.at)
			if c.Turn(turn.at, turn.action); turn.action.Verb == history.Rate && !c.read(turn.at).Equal(before) {
				t.Errorf("%v: another rate turns the clock from %v to %v", test.turns, before, c.read(turn.at))
			}
		}
		if got := c.read(test.now).Sub(epoch); got != test.shows || c.deviation(test.now) != test.ahead {
			t.Errorf("%v: at %v it shows %v, %d ahead; want %v, %d", test.turns, test.now, got, c.deviation(test.now), test.shows, test.ahead)
		}
	}
}

// TestWhenAClockShows: the first moment at which it shows so much is the first
// indeed.
func TestWhenAClockShows(t *testing.T) {
	for _, c := range []Clock{{}, {Ahead: -10_000}, {Drift: 3000}, {Ahead: 333, Drift: -750}, {Ahead: -10_001, Drift: -1}, {Ahead: 7, Drift: 1}} {
		for micros := -50_000; micros < 50_000; micros += 777 {
			shown := epoch.Add(time.Duration(micros) * time.Microsecond)
			at := c.when(shown)
			if c.read(at).Before(shown) || !c.read(at-1).Before(shown) {
				t.Errorf("%+v shows %v at %v; and %v before", c, c.read(at), at, c.read(at-1))
			}
		}
	}
}

// TestLength: how long something takes in the world, in full milliseconds.
func TestLength(t *testing.T) {
	for _, test := range []struct {
		drift history.Millis
		d     time.Duration
		want  history.Millis
	}{
		{0, -1, 0}, {0, 0, 0}, {0, 1, 1}, {0, ms, 1}, {0, ms + 1, 2}, {0, 7 * ms, 7},
		{1000, 7 * ms, 4}, {1000, 8 * ms, 4}, {1000, 8*ms + 1, 5}, {-500, 7 * ms, 14}, {-500, 1, 1},
		{0, 1<<63 - 1, 9223372036855},
	} {
		if got := (Clock{Drift: test.drift}).Length(test.d); got != test.want {
			t.Errorf("%v at a drift of %d takes %d, want %d", test.d, test.drift, got, test.want)
		}
	}
}
