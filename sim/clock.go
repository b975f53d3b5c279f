package sim

import (
	"context"
	"fmt"
	"time"

	"lockstep/sim/history"
)

// A clock is a client's own. It runs at rate thousandths of true speed from an
// anchor: at the world's time `at` it showed `shown`.
type clock struct {
	at    history.Millis
	shown time.Duration // since Epoch
	rate  history.Millis
}

func newClock() clock { return clock{rate: 1000} }

// read returns what the clock shows.
func (c clock) read(now history.Millis) time.Time {
	return Epoch.Add(c.shown + (now-c.at).Duration()/1000*time.Duration(c.rate))
}

// turn carries out a fault of the clock.
func (c *clock) turn(now history.Millis, a history.Action) {
	c.shown, c.at = c.read(now).Sub(Epoch), now
	switch a.Verb {
	case history.Jump:
		c.shown += a.By.Duration()
	case history.Rate:
		c.rate = a.By
	}
}

// deviation returns how far the clock is ahead of the world's time.
func (c clock) deviation(now history.Millis) history.Millis {
	return history.Millis(c.shown/time.Millisecond) + (now-c.at)*c.rate/1000 - now
}

// length returns how long d on this clock takes in the world, rounded up.
func (c clock) length(d time.Duration) history.Millis {
	if d <= 0 {
		return 0
	}
	step := time.Duration(c.rate) * time.Microsecond // on this clock, in a millisecond of the world
	return history.Millis((d-1)/step + 1)
}

// A clientClock is the strategies.Clock of a client. Reading it and sleeping
// are points at which the world decides who goes on.
type clientClock struct{ c *client }

func (k clientClock) Now() time.Time {
	t := k.c.current()
	t.park(operation{kind: opNow, label: "now", text: "read its clock"})
	now := t.saw.Shown
	k.c.world.emit(t, history.Event{Kind: history.Read, Text: now.Format("15:04:05.000")})
	return now
}

func (k clientClock) Sleep(ctx context.Context, d time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	t, w := k.c.current(), k.c.world
	by := k.c.clock.length(d)
	t.sleep, t.slept = sleepState{ctx, by, w.now + by}, true
	w.emit(t, history.Event{Kind: history.Sleep, By: by})
	t.park(operation{kind: opSleep, label: "sleep", text: fmt.Sprintf("sleep %v", by)})
	return ctx.Err()
}

// current returns the running thread, which must be the client's own.
func (c *client) current() *thread {
	c.arrive()
	t := c.world.running
	if t == nil || t.client != c {
		panic(errOutside)
	}
	return t
}
