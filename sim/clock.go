package sim

import (
	"time"

	"lockstep/sim/history"
)

// Epoch is the moment at which every world begins, for clients and nodes.
var Epoch = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// A Clock is a client's own. At the world's time now it has counted
// Ahead + now * (1000 + Drift) microseconds since Epoch. The zero Clock is right.
type Clock struct {
	Ahead int64          // microseconds
	Drift history.Millis // thousandths of true speed: -1 is a rate of 999
}

const trueRate = 1000

func (c Clock) rate() history.Millis { return trueRate + c.Drift }

// read returns what the clock shows.
func (c Clock) read(now history.Millis) time.Time {
	return Epoch.Add(time.Duration(c.Ahead+int64(now*c.rate())) * time.Microsecond)
}

// deviation returns how far the clock is ahead of the world's time.
func (c Clock) deviation(now history.Millis) history.Millis {
	return history.Millis(c.Ahead+int64(now*c.Drift)) / 1000
}

// turn carries out a fault of the clock.
func (c *Clock) turn(now history.Millis, a history.Action) {
	switch a.Verb {
	case history.Jump:
		c.Ahead += int64(a.By) * 1000
	case history.Rate:
		drift := a.By - trueRate
		c.Ahead += int64(now * (c.Drift - drift))
		c.Drift = drift
	}
}

// Length returns how long d on this clock takes in the world, rounded up.
func (c Clock) Length(d time.Duration) history.Millis {
	if d <= 0 {
		return 0
	}
	step := time.Duration(c.rate()) * time.Microsecond // on this clock, in a millisecond of the world
	return history.Millis((d-1)/step + 1)
}
