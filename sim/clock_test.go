package sim

import (
	"testing"

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
