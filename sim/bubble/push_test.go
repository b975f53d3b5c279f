package bubble_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"testing"
	"time"

	"lockstep/sim"
	"lockstep/strategies"
)

// strand returns the strand that is about to do something.
func (b *bubbled) strand(label string) int {
	b.t.Helper()
	at := slices.IndexFunc(b.Wants(0), func(w sim.Want) bool { return !w.Ended && w.Label == label })
	if at < 0 {
		b.t.Fatalf("nothing is about to %s: %+v", label, b.Wants(0))
	}
	return at
}

const confirmed = "*3\r\n$9\r\nsubscribe\r\n$1\r\nc\r\n:1\r\n"

func pushed(raw string) sim.Observation {
	return sim.Observation{Kind: sim.SawPush, Reply: []byte(raw)}
}
func replied(raw string) sim.Observation {
	return sim.Observation{Kind: sim.SawReply, Reply: []byte(raw)}
}

// TestASubscriptionLeavesByItself: go-redis does not wait for the reply, so what
// comes next may overtake a subscription; a second one may not.
func TestASubscriptionLeavesByItself(t *testing.T) {
	b := inBubble(t, func(ctx context.Context, e strategies.Env) {
		c := e.Redis.Subscribe(ctx, "c")
		_ = c.Subscribe(ctx, "d")
		e.Redis.Get(ctx, "k")
		for range 2 {
			_, _ = c.Receive(ctx)
		}
		e.Redis.Get(ctx, "l")
	})
	first := b.strand("SUBSCRIBE")
	b.see(b.strand("GET"), replied("$-1\r\n"))
	b.strand("receive")
	b.see(first, replied(confirmed))
	if w := b.Wants(0)[b.strand("SUBSCRIBE")]; w.Units[0].Cmds[0][1] != "d" {
		t.Errorf("next leaves %+v", w)
	}
	b.see(b.strand("SUBSCRIBE"), replied("*3\r\n$9\r\nsubscribe\r\n$1\r\nd\r\n:2\r\n"))
	b.strand("GET")
}

// TestHealthChecksAreNoSteps: the pings of Channel, every three seconds, are
// answered, and neither time nor a strand waits for them.
func TestHealthChecksAreNoSteps(t *testing.T) {
	var pongs int
	b := inBubble(t, func(ctx context.Context, e strategies.Env) {
		c := e.Redis.Subscribe(ctx, "c")
		for range c.Channel() {
		}
	})
	b.see(b.strand("SUBSCRIBE"), replied(confirmed))
	b.strand("receive")
	if clock := b.Wants(0)[1]; !clock.Ended {
		t.Errorf("time leads to %+v", clock)
	}
	own := inBubble(t, func(ctx context.Context, e strategies.Env) {
		c := e.Redis.Subscribe(ctx, "c")
		_, _ = c.Receive(ctx)
		_ = c.Ping(ctx, "are you there")
		if p, err := c.Receive(ctx); err == nil && p.(interface{ String() string }).String() == "Pong<are you there>" {
			pongs++
		}
		e.Redis.Get(ctx, "k")
	})
	own.see(own.strand("SUBSCRIBE"), replied(confirmed))
	if own.strand("GET"); pongs != 1 {
		t.Error("no pong")
	}
}

// TestEveryEndOfASubscriptionIsSeen: also without a read, while the subscription
// is on its way, and when a timer closes it.
func TestEveryEndOfASubscriptionIsSeen(t *testing.T) {
	ends := func(b *bubbled, strand int) int { return len(b.Wants(0)[strand].Closed) }
	unread := inBubble(t, func(ctx context.Context, e strategies.Env) {
		c := e.Redis.Subscribe(ctx, "c")
		e.Redis.Get(ctx, "k")
		_ = c.Close()
		e.Redis.Get(ctx, "l")
	})
	unread.see(unread.strand("SUBSCRIBE"), replied(confirmed))
	if unread.see(0, replied("$-1\r\n")); ends(unread, 0) != 1 {
		t.Errorf("unread: %+v", unread.Wants(0))
	}
	early := inBubble(t, func(ctx context.Context, e strategies.Env) {
		_ = e.Redis.Subscribe(ctx, "c").Close()
		e.Redis.Get(ctx, "k")
	})
	at := early.strand("SUBSCRIBE")
	if ends(early, 0)+ends(early, at) != 0 {
		t.Errorf("it ended before it was sent: %+v", early.Wants(0))
	}
	if early.see(at, replied(confirmed)); ends(early, at) != 1 {
		t.Errorf("on its way: %+v", early.Wants(0))
	}
	timed := inBubble(t, func(ctx context.Context, e strategies.Env) {
		c := e.Redis.Subscribe(ctx, "c")
		_, _ = c.Receive(ctx)
		time.AfterFunc(time.Millisecond, func() { _ = c.Close() })
		time.Sleep(3 * time.Millisecond)
		e.Redis.Get(ctx, "k")
	})
	timed.see(timed.strand("SUBSCRIBE"), replied(confirmed))
	timed.now = timed.Wants(0)[1].Wakes
	if timed.see(1, sim.Observation{}); ends(timed, 1) != 1 {
		t.Errorf("timed: %+v", timed.Wants(0))
	}
}

// TestReadsHaveDeadlines: ReceiveTimeout ends at its timeout or at its
// context's deadline, and the connection goes on.
func TestReadsHaveDeadlines(t *testing.T) {
	for _, byContext := range []bool{false, true} {
		var got error
		b := inBubble(t, func(ctx context.Context, e strategies.Env) {
			c := e.Redis.Subscribe(ctx, "c")
			_, _ = c.Receive(ctx)
			soon, most := ctx, 5*time.Millisecond
			if byContext {
				var cancel context.CancelFunc
				soon, cancel = context.WithTimeout(ctx, most)
				defer cancel()
				most = time.Hour
			}
			_, got = c.ReceiveTimeout(soon, most)
			e.Redis.Get(ctx, "k")
			_, _ = c.Receive(ctx)
			e.Redis.Get(ctx, "l")
		})
		b.see(b.strand("SUBSCRIBE"), replied(confirmed))
		reads := b.strand("receive")
		b.now = b.Wants(0)[1].Wakes
		if b.see(1, sim.Observation{}); !errors.Is(got, os.ErrDeadlineExceeded) || b.Wants(0)[reads].Label == "receive" {
			t.Errorf("by a context: %t; %v, %+v", byContext, got, b.Wants(0))
		}
		b.see(b.strand("GET"), replied("$-1\r\n"))
		b.see(b.strand("receive"), pushed("*3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$1\r\nx\r\n"))
		b.strand("GET")
	}
}
