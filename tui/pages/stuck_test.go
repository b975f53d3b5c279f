package pages

import (
	"context"
	"strings"
	"testing"

	"lockstep/scenarios"
	"lockstep/sim/history"
	"lockstep/sim/program"
	"lockstep/strategies"
)

// TestStuckCodeIsInTheStatus in place of what says that something runs, until
// it is over.
func TestStuckCodeIsInTheStatus(t *testing.T) {
	one := Stuck{Lock: "mine", Client: "A", Op: history.OpAcquire, Action: 3, Place: "mine/lock.go:12"}
	other := Stuck{Lock: "mine", Client: "B renewal"}
	for _, width := range []int{80, 120} {
		m := opened(t, Options{}, width, 24)
		m.Update(StuckNews{one, false})
		m.Update(StuckNews{other, false})
		wantIn(t, m, "of 72 cells  ✗ stuck: mine: A acquire at mine/lock.go:12 since action 3")
		m.Update(StuckNews{one, true})
		wantIn(t, m, "of 72 cells  ✗ stuck: mine: B renewal")
		m.Update(StuckNews{other, true})
		if frame := check(t, m); strings.Contains(frame, "stuck:") {
			t.Errorf("it is over, but:\n%s", frame)
		}
	}
	m := start(t, Options{}, 80, 24)
	press(m, "enter", "down")
	m.Update(keyMsg("enter"))
	wantIn(t, m, "running the story")
	m.Update(StuckNews{one, false})
	wantIn(t, m, "✗ stuck: mine: A acquire at mine/lock.go:12 since action 3")
}

// TestQuitDoesNotWaitForStuckCode: what is looked up ends with the program, so
// soon that nobody is told of it.
func TestQuitDoesNotWaitForStuckCode(t *testing.T) {
	over, end := context.WithCancel(context.Background())
	defer end()
	begun := make(chan bool, 1)
	scenarios.Register("hostile", program.Subject{
		Nodes: 1, New: func(strategies.Env) strategies.Lock {
			begun <- true
			<-over.Done()
			return nil
		},
	})
	told := false
	defer program.OnStuck(func(program.Stuck, bool) { told = true })()
	c := history.Default()
	c.Strategy = "hostile"
	step := history.Action{Verb: history.Step, Client: "A"}
	for name, work := range map[string]func(ctx context.Context){
		"a position": func(ctx context.Context) { _, _ = scenarios.Look(ctx, c, history.Schedule{step}, nil) },
		"what is superfluous": func(ctx context.Context) {
			_, _ = scenarios.Superfluous(ctx, c, history.Schedule{step, step}, scenarios.Target{Goal: history.Leak}, nil)
		},
	} {
		b := newBackground(t.Context())
		b.do(func(ctx context.Context) any {
			work(ctx)
			return nil
		})
		<-begun
		b.end()
		if told {
			t.Errorf("%s: it was waited for", name)
		}
	}
}
