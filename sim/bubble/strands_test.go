package bubble_test

import (
	"context"
	"errors"
	"fmt"
	oldrand "math/rand"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"lockstep/internal/testkit/simtest"
	"lockstep/sim"
	"lockstep/sim/bubble"
	"lockstep/sim/history"
	"lockstep/sim/program"
	"lockstep/strategies"
)

// A bubbled is the code of one client in a bubble, without a world.
type bubbled struct {
	program.Code
	t   *testing.T
	now time.Time // on the client's clock
}

// inBubble runs a function as a client's Lock, up to its first arrival at the
// seam.
func inBubble(t *testing.T, do func(context.Context, strategies.Env)) *bubbled {
	t.Helper()
	b := newBubbled(t, 1, false, do)
	b.see(0, sim.Observation{})
	return b
}

// newBubbled returns a client that has not started.
func newBubbled(t *testing.T, nodes int, draws bool, do func(context.Context, strategies.Env)) *bubbled {
	t.Helper()
	c := history.Default()
	c.Strategy, c.TTL = "made", 100
	lock := simtest.Made(func(ctx context.Context, e strategies.Env) error {
		do(ctx, e)
		<-ctx.Done()
		return ctx.Err()
	})
	lock.Nodes, lock.Draws = nodes, draws
	b := &bubbled{bubble.Start(c, lock, "A"), t, sim.Epoch()}
	t.Cleanup(b.Close)
	return b
}

// see makes an observation at the present time.
func (b *bubbled) see(strand int, o sim.Observation) {
	b.t.Helper()
	o.Shown = b.now
	if _, _, err := b.Observe(0, strand, o); err != nil {
		b.t.Fatal(err)
	}
}

// answer replies to the command of a strand.
func (b *bubbled) answer(strand int) {
	b.t.Helper()
	b.see(strand, sim.Observation{Kind: sim.SawReply, Reply: []byte("+OK\r\n")})
}

// wake advances the time to the next timer, by a step of the clock.
func (b *bubbled) wake() {
	b.t.Helper()
	b.now = b.Wants(0)[program.TimerStrand].Wakes
	b.see(program.TimerStrand, sim.Observation{})
}

// sends lists the commands that strands are about to send.
func (b *bubbled) sends() string {
	var list []string
	for i, w := range b.Wants(0) {
		if w.Saw == sim.SawReply {
			list = append(list, fmt.Sprint(i, " ", w.InFull(sim.Clock{})))
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

// TestTimersOfTwoObservations: timers that start after different observations
// at the same clock time never end at the same instant.
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
	if late := b.now.Sub(sim.Epoch()) - 30*time.Millisecond; late < -time.Millisecond || late > time.Millisecond {
		t.Errorf("the timers are %v late", late)
	}
}

// TestTheLowestFreeStrand: an operation of a goroutine takes the lowest free
// strand.
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

// TestHowFarAhead: a timer counts if it ends within twice the recovery time
// plus the wait and the work.
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
	_, events, err := b.Observe(0, 0, sim.Observation{Kind: sim.SawReply, Reply: []byte("+OK\r\n"), Shown: b.now})
	if err != nil || len(events) != 1 || events[0].Kind != history.Blocked || events[0].By != history.Millis(most.Milliseconds()) {
		t.Errorf("a timer that ends later: %v, %v", events, err)
	}
}

// TestMathRandGoesOn: draws from math/rand differ between observations, and are
// the same after the same observations.
func TestMathRandGoesOn(t *testing.T) {
	bubble.Seed()
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

// TestMathRandAtATimer: a run that has advanced to its next timer draws the
// same as a run that repeats it.
func TestMathRandAtATimer(t *testing.T) {
	bubble.Seed()
	do := func(ctx context.Context, e strategies.Env) {
		e.Redis.Get(ctx, fmt.Sprint(oldrand.Int63()))
		time.Sleep(20 * time.Millisecond)
		e.Redis.Get(ctx, fmt.Sprint(oldrand.Int63()))
	}
	b := inBubble(t, do)
	b.answer(0)
	b.wake()
	again := newBubbled(t, 1, false, do)
	for _, told := range []program.Observed{
		{Strand: 0, Observation: sim.Observation{Shown: sim.Epoch()}},
		{Strand: 0, Observation: sim.Observation{Kind: sim.SawReply, Reply: []byte("+OK\r\n"), Shown: sim.Epoch()}},
		{Strand: program.TimerStrand, Observation: sim.Observation{Shown: b.now}},
	} {
		if _, _, err := again.Walk([]program.Stride{{Observed: told, Told: true}}); err != nil {
			t.Fatal(err)
		}
	}
	if first, second := b.sends(), again.sends(); first != second || first == "" {
		t.Errorf("%q, and again %q", first, second)
	}
}

// TestATimerThatIsDrawn: a random timer makes two runs differ, which is an
// error.
func TestATimerThatIsDrawn(t *testing.T) {
	b := newBubbled(t, 1, true, func(ctx context.Context, e strategies.Env) {
		e.Redis.Get(ctx, "k")
		time.Sleep(time.Millisecond + time.Duration(unrepeatable()%uint64(time.Second)))
		e.Redis.Get(ctx, "k")
	})
	b.see(0, sim.Observation{})
	_, _, err := b.Observe(0, 0, sim.Observation{Kind: sim.SawReply, Reply: []byte("+OK\r\n"), Shown: b.now})
	if !errors.Is(err, program.ErrNondeterministic) || !strings.Contains(err.Error(), "once   waits until its clock shows 12:00:0") {
		t.Errorf("%v", err)
	}
}

// TestWhatAClientHas: all nodes, tokens that count, and an operation for the
// commands of its goroutines.
func TestWhatAClientHas(t *testing.T) {
	var tokens []string
	b := newBubbled(t, 2, false, func(ctx context.Context, e strategies.Env) {
		tokens = []string{e.Token(), e.Token()}
		for _, node := range e.Nodes {
			go node.Get(ctx, "k")
			go node.Del(ctx, "k")
		}
		e.Redis.Get(ctx, "n")
	})
	b.see(0, sim.Observation{})
	if fmt.Sprint(tokens) != "[A-1 A-2]" {
		t.Errorf("tokens %q", tokens)
	}
	wants := b.Wants(0)
	b.hold("0 GET n, 2 DEL k, 3 GET k, 4 DEL k, 5 GET k")
	conns := map[int]int{}
	for i, w := range wants {
		if i == program.TimerStrand {
			continue
		}
		conns[w.Conn]++
		if wants[0].During == 0 || w.During != wants[0].During {
			t.Errorf("%s in thread %d is sent during %d, the client's own during %d", w.InFull(sim.Clock{}), i, w.During, wants[0].During)
		}
		if (w.Name == "goroutine") != (i > program.TimerStrand) {
			t.Errorf("thread %d is called %q", i, w.Name)
		}
	}
	const second = 1 << 20 // the first number of the second node
	if len(conns) != 5 || conns[0]+conns[1]+conns[2] != 3 || conns[second]+conns[second+1] != 2 || wants[2].Node != 0 || wants[4].Node != 1 {
		t.Errorf("connections %v", conns)
	}
	none := newBubbled(t, 0, false, func(ctx context.Context, e strategies.Env) {
		if e.Redis != nil || len(e.Nodes) != 0 {
			t.Errorf("%d nodes", len(e.Nodes))
		}
	})
	if events := none.seeToTheEnd(sim.Observation{}); len(events) > 0 && events[len(events)-1].Kind == history.Panic {
		t.Errorf("without nodes: %+v", events)
	}
}

// TestAConnectionKeepsItsNumber: consecutive commands over a connection have
// the same number.
func TestAConnectionKeepsItsNumber(t *testing.T) {
	b := inBubble(t, func(ctx context.Context, e strategies.Env) {
		for range 3 {
			e.Redis.Get(ctx, "k")
		}
	})
	for range 3 {
		if n := b.Wants(0)[0].Conn; n != 0 {
			t.Errorf("connection %d", n)
		}
		b.hold("0 GET k")
		b.seeToTheEnd(sim.Observation{Kind: sim.SawReply, Reply: []byte("+OK\r\n")})
	}
}

// seeToTheEnd is see of the main strand, which may then wait forever.
func (b *bubbled) seeToTheEnd(o sim.Observation) []history.Event {
	b.t.Helper()
	o.Shown = b.now
	_, events, err := b.Observe(0, 0, o)
	if err != nil {
		b.t.Fatal(err)
	}
	return events
}

// TestNobodyWaitsThere: an observation of a strand that does not wait, or not for that, is
// an error, with the panic that ended the code.
func TestNobodyWaitsThere(t *testing.T) {
	for _, kind := range []sim.Saw{sim.SawNothing, sim.SawAccess, sim.SawPush} {
		b := inBubble(t, func(ctx context.Context, e strategies.Env) { e.Redis.Get(ctx, "k") })
		if _, _, err := b.Observe(0, 0, sim.Observation{Kind: kind, Shown: b.now}); !errors.Is(err, program.ErrNondeterministic) {
			t.Errorf("kind %d: %v", kind, err)
		}
	}
	for _, strand := range []int{2, 3, 7} {
		b := inBubble(t, func(ctx context.Context, e strategies.Env) {
			go e.Redis.Get(ctx, "other")
			e.Redis.Get(ctx, "k")
		})
		if strand == 2 {
			b.answer(2)
		}
		_, _, err := b.Observe(0, strand, sim.Observation{Kind: sim.SawReply, Reply: []byte("+OK\r\n"), Shown: b.now})
		if want := fmt.Sprintf("after %d observations, does not wait in thread %d", map[bool]int{true: 2, false: 1}[strand == 2], strand); !errors.Is(err, program.ErrNondeterministic) || !strings.Contains(err.Error(), want) {
			t.Errorf("thread %d: %v", strand, err)
		}
	}
}

// TestHowTheProgramEnds: a panic and a runtime.Goexit are events, except after
// death.
func TestHowTheProgramEnds(t *testing.T) {
	for text, end := range map[string]func(){"no idea": func() { panic("no idea") }, "its goroutine was ended by runtime.Goexit": runtime.Goexit} {
		b := inBubble(t, func(ctx context.Context, e strategies.Env) {
			e.Redis.Get(ctx, "k")
			end()
		})
		_, events, err := b.Observe(0, 0, sim.Observation{Kind: sim.SawReply, Reply: []byte("+OK\r\n"), Shown: b.now})
		if err != nil || len(events) != 1 || events[0].Kind != history.Panic || events[0].Text != text {
			t.Errorf("%s: %+v, %v", text, events, err)
		}
		if w := b.Wants(0); !w[0].Ended {
			t.Errorf("%s: it goes on with %+v", text, w[0])
		}
		_, _, err = b.Observe(0, 0, sim.Observation{Kind: sim.SawReply, Shown: b.now})
		if err == nil || !strings.Contains(err.Error(), "after 2 observations, panicked") || !strings.Contains(err.Error(), text) {
			t.Errorf("after %q and one more observation: %v", text, err)
		}
	}
}

// TestWhatTheDeadDo: commands of a dead client fail. After eight failures, the
// next command ends its goroutine.
func TestWhatTheDeadDo(t *testing.T) {
	var tries, failed atomic.Int64
	b := inBubble(t, func(ctx context.Context, e strategies.Env) {
		go func() {
			for range 1000 {
				tries.Add(1)
				if e.Redis.Get(context.Background(), "k").Err() != nil {
					failed.Add(1)
				}
			}
		}()
		e.Redis.Get(ctx, "k")
	})
	b.Die()
	if tries.Load() != 10 || failed.Load() != 9 {
		t.Errorf("%d tries, of which %d failed", tries.Load(), failed.Load())
	}
}

// TestDeepCode: the main goroutine is recognised at any call depth.
func TestDeepCode(t *testing.T) {
	for _, depth := range []int{10, 64, 300} {
		b := inBubble(t, func(ctx context.Context, e strategies.Env) {
			var deeper func(int)
			deeper = func(n int) {
				if n > 0 {
					deeper(n - 1)
					return
				}
				e.Redis.Get(ctx, "k")
			}
			deeper(depth)
		})
		b.hold("0 GET k")
	}
}
