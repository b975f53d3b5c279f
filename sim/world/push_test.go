package world_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"lockstep/internal/testkit"
	"lockstep/internal/testkit/simtest"
	"lockstep/sim/bubble"
	"lockstep/sim/history"
	"lockstep/sim/world"
	"lockstep/strategies"
)

// played performs a schedule in a world of two clients, of which A listens and B
// publishes as long as there is something to say.
func played(t *testing.T, inBubble bool, listen func(context.Context, strategies.Env), say []string, schedule string) *world.World {
	t.Helper()
	s := simtest.Made(func(ctx context.Context, e strategies.Env) error {
		if e.Name == "A" {
			listen(ctx, e)
			return nil
		}
		for _, text := range say {
			e.Redis.Publish(ctx, "c", text)
		}
		return nil
	})
	if inBubble {
		s.Start = bubble.Start
	}
	c := testkit.Must(history.ParseConfig("strategy=made clients=A,B"))(t)
	w := testkit.Must(world.New(c, s))(t)
	t.Cleanup(w.Close)
	actions, err := history.ParseSchedule(schedule)
	if err == nil {
		err = w.Run(actions)
	}
	testkit.OK(t, err)
	return w
}

// replies lists the replies that clients have read, and the messages.
func replies(w *world.World) string {
	var list []string
	for _, e := range w.History().Events {
		switch e.Kind {
		case history.Reply, history.Receive:
			list = append(list, e.Client+" "+e.Reply)
		case history.Broken:
			list = append(list, e.Client+" "+e.Op)
		}
	}
	return strings.Join(list, "; ")
}

func subscribed(ctx context.Context, e strategies.Env) *redis.PubSub {
	c := e.Redis.Subscribe(ctx, "c")
	_, _ = c.Receive(ctx)
	return c
}

// TestNobodyHearsAfterTheEnd: what is closed, dead or done does not count among
// those who hear a message.
func TestNobodyHearsAfterTheEnd(t *testing.T) {
	closes := func(ctx context.Context, e strategies.Env) {
		_ = subscribed(ctx, e).Close()
		e.Redis.Get(ctx, "k")
	}
	leaves := func(ctx context.Context, e strategies.Env) { subscribed(ctx, e); e.Redis.Get(ctx, "k") }
	unread := func(ctx context.Context, e strategies.Env) {
		_ = e.Redis.Subscribe(ctx, "c").Close()
		e.Redis.Get(ctx, "k")
	}
	for _, test := range []struct {
		name     string
		listen   func(context.Context, strategies.Env)
		schedule string
		heard    string
	}{
		{"it listens", leaves, "A*2 B*2", "1"},
		{"it has closed", closes, "A*2 B*2", "0"},
		{"it has closed without a read", unread, "A*2 B*2", "0"},
		{"it has crashed", leaves, "A*2 A.crash B*2", "0"},
		{"it hangs", leaves, "A*2 A.hang B*2", "1"},
		{"its request comes after its death", leaves, "A A.send A.crash A.late B*2", "0"},
		{"its node has restarted", leaves, "A*2 r1.restart B*2", "0"},
		{"it is cut off", leaves, "A*2 A.cut:r1 B*2", "1"},
	} {
		w := played(t, false, test.listen, []string{"x"}, test.schedule)
		if got := replies(w); !strings.HasSuffix(got, "B "+test.heard) {
			t.Errorf("%s: %s", test.name, got)
		}
	}
}

// TestWhereAReaderWakes: a message, a restart or the loss of what was sent ends
// a wait, also where the client has left every channel; a cut only delays it.
func TestWhereAReaderWakes(t *testing.T) {
	waits := func(ctx context.Context, e strategies.Env) {
		c := subscribed(ctx, e)
		_, err := c.Receive(ctx)
		e.Redis.Set(ctx, "saw", fmt.Sprint(err), 0)
	}
	left := func(ctx context.Context, e strategies.Env) {
		c := subscribed(ctx, e)
		_ = c.Unsubscribe(ctx)
		_, _ = c.Receive(ctx)
		_, err := c.Receive(ctx)
		e.Redis.Set(ctx, "saw", fmt.Sprint(err), 0)
	}
	for _, test := range []struct {
		name     string
		listen   func(context.Context, strategies.Env)
		schedule string
		ends     string // of the replies
	}{
		{"message", waits, "A*2 B*2 A", "A [message c x]"},
		{"restart", waits, "A*2 r1.restart A", "A reset"},
		{"restart with a message under way", waits, "A*2 B*2 r1.restart A", "A reset"},
		{"restart after the last channel", left, "A*3 r1.restart A", "A reset"},
		{"loss", waits, "A*2 B*2 A.lose-push A", "A reset"},
		{"cut and healed", waits, "A*2 A.cut:r1 B*2 A.heal:r1 A", "A [message c x]"},
		{"down and up", waits, "A*2 B*2 r1.down r1.up A", "A reset"},
	} {
		w := played(t, false, test.listen, []string{"x"}, test.schedule)
		if got := replies(w); !strings.HasSuffix(got, test.ends) {
			t.Errorf("%s: %s", test.name, got)
		}
	}
	w := played(t, false, waits, []string{"x"}, "A*2 A.cut:r1 B*2")
	if why := w.Refusal(history.Action{Verb: history.Step, Client: "A"}); why.No() {
		t.Error("a message comes over a cut connection")
	}
}

// TestNothingOvertakesOnAConnection: in a bubble another strand reads what a
// subscription's reply and the messages after it bring, in order.
func TestNothingOvertakesOnAConnection(t *testing.T) {
	var heard []string
	listen := func(ctx context.Context, e strategies.Env) {
		heard = nil
		c := e.Redis.Subscribe(ctx, "c")
		for range 3 {
			m, err := c.Receive(ctx)
			heard = append(heard, fmt.Sprint(m, err))
		}
	}
	w := played(t, true, listen, []string{"x", "y"}, "A A/2.apply B*3")
	for range 9 {
		steps := w.Enabled(history.Action{Verb: history.Step})
		for _, a := range steps {
			if a.Client == "A" {
				testkit.OK(t, w.Perform(a))
				break
			}
		}
	}
	if got := strings.Join(heard, "; "); got != "subscribe: c <nil>; Message<c: x> <nil>; Message<c: y> <nil>" {
		t.Errorf("it heard %s", got)
	}
}
