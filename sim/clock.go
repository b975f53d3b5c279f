package sim

import (
	"time"

	"lockstep/sim/history"
)

// Epoch is the moment at which every world begins, for clients and nodes.
func Epoch() time.Time { return epoch }

var epoch = history.Epoch

// A Clock belongs to a client or a node. At the world's time now it shows Ahead
// + now * (1000 + Drift) microseconds since Epoch. The zero Clock is right.
type Clock struct {
	Ahead int64          // microseconds
	Drift history.Millis // thousandths of true speed: -1 is a rate of 999
}

const trueRate = 1000

func (c Clock) rate() history.Millis { return trueRate + c.Drift }

func (c Clock) micros(now history.Millis) int64 { return c.Ahead + int64(now*c.rate()) }

// read returns what the clock shows.
func (c Clock) read(now history.Millis) time.Time {
	return epoch.Add(time.Duration(c.micros(now)) * time.Microsecond)
}

// when returns the first moment of the world at which the clock shows a time or
// a later one.
func (c Clock) when(shown time.Time) history.Millis {
	return history.Millis(-floor(c.Ahead-shown.Sub(epoch).Microseconds(), int64(c.rate())))
}

// Millis returns what the clock shows, as time since Epoch in full milliseconds.
func (c Clock) Millis(now history.Millis) history.Millis {
	return history.Millis(floor(c.micros(now), 1000))
}

// Last returns the last moment of the world at which Millis is not more than at.
func (c Clock) Last(at history.Millis) history.Millis {
	return history.Millis(floor(int64(at)*1000+999-c.Ahead, int64(c.rate())))
}

// floor divides and rounds down, also negative numbers; by is positive.
func floor(n, by int64) int64 {
	if n < 0 {
		return ^(^n / by)
	}
	return n / by
}

// Shift returns the clock that shows now what c showed a length of time earlier,
// plus that length.
func (c Clock) Shift(by history.Millis) Clock {
	c.Ahead -= int64(by * c.Drift)
	return c
}

// deviation returns how far the clock is ahead of the world's time.
func (c Clock) deviation(now history.Millis) history.Millis {
	return history.Millis(c.Ahead+int64(now*c.Drift)) / 1000
}

// Turn applies a fault to the clock.
func (c *Clock) Turn(now history.Millis, a history.Action) {
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
