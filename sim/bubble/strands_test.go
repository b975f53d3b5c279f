package bubble_test

import (
	"context"
	"errors"
	"fmt"
	oldrand "math/rand"
	"strings"
	"testing"
	"time"

	"lockstep/sim"
	"lockstep/sim/bubble"
	"lockstep/sim/history"
	"lockstep/sim/program"
	"lockstep/sim/simtest"
	"lockstep/strategies"
)

// A bubbled is the code of one client in a bubble, without a world around it.
type bubbled struct {
	program.Code
	t   *testing.T
	now time.Time // by the client's clock
}

// inBubble lets a client's Lock do something and then wait for ever, up to where it
// comes to the seam first.
func inBubble(t *testing.T, do func(context.Context, strategies.Env)) *bubbled {
	t.Helper()
	c := history.Default()
	c.Strategy, c.TTL = "made", 100
	lock := simtest.Made(func(ctx context.Context, e strategies.Env) error {
		do(ctx, e)
		<-ctx.Done()
		return ctx.Err()
	})
	b := &bubbled{bubble.Start(c, lock, "A"), t, sim.Epoch}
	t.Cleanup(b.Close)
	b.see(0, sim.Observation{})
	return b
}

// see lets a strand observe something now.
func (b *bubbled) see(strand int, o sim.Observation) {
	b.t.Helper()
	o.Shown = b.now
	if _, _, err := b.Observe(0, strand, o); err != nil {
		b.t.Fatal(err)
	}
}

// answer answers the command of a strand.
func (b *bubbled) answer(strand int) {
	b.t.Helper()
	b.see(strand, sim.Observation{Kind: sim.SawReply, Reply: []byte("+OK\r\n")})
}

// wake lets time pass until a timer ends, which it does at the clock's step.
func (b *bubbled) wake() {
	b.t.Helper()
	b.now = b.Wants(0)[program.TimerStrand].Wakes
	b.see(program.TimerStrand, sim.Observation{})
}

// sends lists what the strands are about to send, by strand.
func (b *bubbled) sends() string {
	var list []string
	for i, w := range b.Wants(0) {
		if w.Saw == sim.SawReply {
			list = append(list, fmt.Sprint(i, " ", w.InFull()))
		}
	}
	return strings.Join(list, ", ")
}

func (b *bubbled) hold(want string) {
	b.t.Helper()
	if got := b.sends(); got != want {
		b.t.Errorf("about to send %q, want %q", got, want)
	}
}

// TestTimersOfTwoObservations: timers that begin after different observations,
// at the same time by the clock, never end at one instant.
func TestTimersOfTwoObservations(t *testing.T) {
	b := inBubble(t, func(ctx context.Context, e strategies.Env) {
		for n := range 2 {
			e.Redis.Get(ctx, fmt.Sprint("k", n))
			go func() {
				time.Sleep(30 * time.Millisecond)
				e.Redis.Del(ctx, fmt.Sprint("k", n))
			}()
		}
	})
	b.answer(0)
	b.answer(0)
	b.hold("")
	b.wake()
	b.hold("2 DEL k0")
	b.wake()
	b.hold("2 DEL k0, 3 DEL k1")
	if late := b.now.Sub(sim.Epoch) - 30*time.Millisecond; late < -time.Millisecond || late > time.Millisecond {
		t.Errorf("the timers are %v late", late)
	}
}

// TestTheLowestFreeStrand: an operation of a goroutine takes the strand of one
// that is over.
func TestTheLowestFreeStrand(t *testing.T) {
	b := inBubble(t, func(ctx context.Context, e strategies.Env) {
		for _, key := range []string{"a", "b", "c"} {
			go func() {
				e.Redis.Get(ctx, key)
				e.Redis.Del(ctx, key)
			}()
		}
	})
	b.hold("2 GET a, 3 GET b, 4 GET c")
	b.answer(3)
	b.hold("2 GET a, 3 DEL b, 4 GET c")
	b.answer(3)
	b.hold("2 GET a, 4 GET c")
	b.answer(4)
	b.hold("2 GET a, 3 DEL c")
	b.answer(2)
	b.hold("2 DEL a, 3 DEL c")
	if n := len(b.Wants(0)); n != 5 {
		t.Errorf("%d strands, want 5", n)
	}
}

// TestHowFarAhead: a timer counts if it ends within twice the time that a lock has
// to recover, the time that is waited and the work.
func TestHowFarAhead(t *testing.T) {
	const most = 2 * sim.RecoveryLeases * 100 * time.Millisecond
	sleeps := func(d time.Duration) *bubbled {
		return inBubble(t, func(ctx context.Context, e strategies.Env) {
			e.Redis.Get(ctx, "k")
			time.Sleep(d)
			e.Redis.Del(ctx, "k")
		})
	}
	b := sleeps(most - time.Millisecond)
	b.answer(0)
	b.wake()
	b.hold("0 DEL k")
	b = sleeps(most + time.Millisecond)
	_, _, err := b.Observe(0, 0, sim.Observation{Kind: sim.SawReply, Reply: []byte("+OK\r\n"), Shown: b.now})
	var stuck *program.StuckError
	if !errors.As(err, &stuck) || stuck.For != most {
		t.Errorf("a timer that ends later: %v", err)
	}
}

// TestMathRandGoesOn: what code draws from math/rand differs from one observation
// to the next, and is the same for those who are told the same.
func TestMathRandGoesOn(t *testing.T) {
	drawn := func() []string {
		b := inBubble(t, func(ctx context.Context, e strategies.Env) {
			for range 4 {
				e.Redis.Get(ctx, fmt.Sprint(oldrand.Int63()))
			}
		})
		var list []string
		for range 3 {
			list = append(list, b.sends())
			b.answer(0)
		}
		return list
	}
	first := drawn()
	if first[0] == first[1] || first[1] == first[2] || first[0] == first[2] {
		t.Errorf("drawn twice: %q", first)
	}
	if again := drawn(); fmt.Sprint(again) != fmt.Sprint(first) {
		t.Errorf("%q, and again %q", first, again)
	}
}
