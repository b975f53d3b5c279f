package world_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/program"
	"lockstep/sim/world"
	"lockstep/strategies"
)

// impatient makes stuck code be given up early. No other test may run worlds
// meanwhile.
func impatient(t *testing.T) {
	t.Helper()
	before := program.SetPatience(200 * time.Millisecond)
	t.Cleanup(func() { program.SetPatience(before) })
}

// hostile are ways not to reach the seam. Each ends with over, so that no test
// leaves goroutines; TestNothingEverEnds has those that cannot end.
var hostile = map[string]struct {
	do    func(over context.Context)
	state string
}{
	"a channel":        {func(over context.Context) { <-over.Done() }, "chan receive"},
	"a lock on itself": {lockTwice, "sync.Mutex.Lock"},
	"a busy loop": {func(over context.Context) {
		var done atomic.Bool
		context.AfterFunc(over, func() { done.Store(true) })
		for !done.Load() {
		}
	}, "running"},
	"a real sleep": {func(over context.Context) {
		for over.Err() == nil {
			time.Sleep(500 * time.Millisecond) // asleep when it is looked at
		}
	}, "sleep"},
}

func lockTwice(over context.Context) {
	var mu sync.Mutex
	mu.Lock()
	context.AfterFunc(over, mu.Unlock)
	mu.Lock()
}

func TestCodeThatDoesNotComeToTheSeam(t *testing.T) {
	impatient(t)
	step := history.Action{Verb: history.Step, Client: "A"}
	for name, h := range hostile {
		t.Run(name, func(t *testing.T) {
			over, end := context.WithCancel(context.Background())
			var reports []string
			stop := program.OnStuck(func(s program.Stuck, over bool) { reports = append(reports, fmt.Sprint(over, " ", s.Place)) })
			w := worldOf(t, "", script(func(ctx context.Context, e strategies.Env) error {
				defer e.Redis.Get(ctx, "a dead client does nothing")
				e.Redis.Get(ctx, "k")
				h.do(over)
				return nil
			}))
			play(t, w, "B A")
			err := w.Perform(step)
			stop()
			var stuck *program.StuckError
			if !errors.As(err, &stuck) {
				t.Fatalf("the world says %v", err)
			}
			if s := stuck.Stuck; s.Lock != "mutant" || s.Client != "A" || s.Op != history.OpAcquire || s.Action != 3 ||
				s.State != h.state || !strings.HasPrefix(s.Place, "world_test/stuck_test.go:") {
				t.Errorf("it is %+v", s)
			}
			if want := "false " + stuck.Place; !slices.Contains(reports, want) {
				t.Errorf("told %q, want %q", reports, want)
			}
			if again := w.Perform(step); !errors.As(again, &stuck) {
				t.Errorf("after the end: %v", again)
			}
			events := len(w.History().Events)
			w.Close()
			end()
			if after := len(w.History().Events); after != events {
				t.Errorf("%d events became %d", events, after)
			}
		})
	}
}

// TestCodeThatIsSlowIsWaitedFor: the watch reports the code, and that it is
// over; the history is that of the same code without the sleep.
func TestCodeThatIsSlowIsWaitedFor(t *testing.T) {
	before := program.SetPatience(2 * time.Second)
	defer program.SetPatience(before)
	var transcripts []string
	for _, slow := range []bool{false, true} {
		reports, noticed := make(chan string, 10), make(chan bool, 10)
		stop := program.OnStuck(func(s program.Stuck, over bool) {
			reports <- fmt.Sprint(over, " ", s.Op)
			noticed <- true
		})
		w := worldOf(t, "", mutantOf(setNX, func(ctx context.Context, e strategies.Env) error {
			if slow {
				<-noticed
			}
			return del(ctx, e)
		}))
		play(t, w, "A*7")
		if slow {
			if first, second := <-reports, <-reports; first != "false release" || second != "true release" {
				t.Errorf("told %q, %q", first, second)
			}
		}
		stop()
		transcripts = append(transcripts, transcript(w))
	}
	if transcripts[0] != transcripts[1] {
		t.Errorf("quick\n%s\nslow\n%s", transcripts[0], transcripts[1])
	}
}

// TestABackgroundTaskIsNamed: the background task is stuck, not the main
// program.
func TestABackgroundTaskIsNamed(t *testing.T) {
	impatient(t)
	over, end := context.WithCancel(context.Background())
	defer end()
	w := worldOf(t, "", script(func(ctx context.Context, e strategies.Env) error {
		e.Go("renewal", func() { <-over.Done() })
		return e.Redis.Get(ctx, "k").Err()
	}))
	play(t, w, "A")
	err := w.Perform(history.Action{Verb: history.Step, Client: "A", Strand: 1})
	if want := "client A, task renewal, since action 2:"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
}

// TestDeadCodeThatDoesNotUnwind is given up and changes nothing.
func TestDeadCodeThatDoesNotUnwind(t *testing.T) {
	impatient(t)
	over, end := context.WithCancel(context.Background())
	defer end()
	w := worldOf(t, "", script(func(ctx context.Context, e strategies.Env) error {
		done := make(chan bool)
		defer func() {
			select {
			case <-done: // never closed: the task dies with its client
			case <-over.Done():
			}
		}()
		e.Go("renewal", func() {
			defer close(done)
			e.Redis.Incr(ctx, "n")
		})
		return e.Redis.Get(ctx, "k").Err()
	}))
	play(t, w, "A A/1 A.crash B B/1*2 B")
	wantEqual(t, commandTexts(w, history.Apply), []string{"INCR n -> 1", "GET k -> nil"})
}

// TestAnInterruptEndsTheWait before the patience ends.
func TestAnInterruptEndsTheWait(t *testing.T) {
	before := program.SetPatience(time.Second) // one look every 50 ms
	defer program.SetPatience(before)
	over, end := context.WithCancel(context.Background())
	defer end()
	w := worldOf(t, "", script(func(ctx context.Context, e strategies.Env) error {
		<-over.Done()
		return nil
	}))
	within, interrupt := context.WithCancel(context.Background())
	w.Within(within)
	interrupt()
	err := w.Perform(history.Action{Verb: history.Step, Client: "A"})
	var stuck *program.StuckError
	if !errors.As(err, &stuck) || stuck.For > 100*time.Millisecond {
		t.Errorf("%v", err)
	}
}

// TestStuckRecoveryIsNotDecided: its code is given up, and an interrupt ends the wait before that.
func TestStuckRecoveryIsNotDecided(t *testing.T) {
	for patience, interrupted := range map[time.Duration]bool{200 * time.Millisecond: false, 20 * time.Second: true} {
		before := program.SetPatience(patience)
		over, end := context.WithCancel(context.Background())
		s := script(func(context.Context, strategies.Env) error {
			<-over.Done()
			return nil
		})
		ctx, interrupt := context.WithCancel(t.Context())
		if interrupted {
			interrupt()
		}
		c := history.Default()
		c.Strategy = "mutant"
		ok, _, err := world.Recovers(ctx, c, s, nil)
		interrupt()
		end()
		program.SetPatience(before)
		var stuck *program.StuckError
		if ok || !errors.Is(err, sim.ErrUndecided) || !errors.As(err, &stuck) || stuck.For >= 20*time.Second {
			t.Errorf("a patience of %v: %t, %v", patience, ok, err)
		}
	}
}

// TestNothingEverEnds runs code that can never end in another process, which
// still exits.
func TestNothingEverEnds(t *testing.T) {
	never := map[string]func(){
		"select": func() { select {} },
		"for": func() {
			//lint:ignore SA5002 it is what is tested
			for {
			}
		},
		"mutex": func() {
			var mu sync.Mutex
			mu.Lock()
			mu.Lock()
		},
	}
	if which := os.Getenv("LOCKSTEP_NEVER"); which != "" {
		impatient(t)
		w := worldOf(t, "", script(func(context.Context, strategies.Env) error {
			never[which]()
			return nil
		}))
		err := w.Perform(history.Action{Verb: history.Step, Client: "A"})
		fmt.Println(err)
		os.Exit(3) // like a program; goleak would wait forever
	}
	want := regexp.MustCompile(`client A, in acquire, since action 1: .* at world_test(/stuck_test.go:\d+|\.TestNothingEverEnds\.func\d+)\n`) // an empty loop has only its function
	for which := range never {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestNothingEverEnds$")
		cmd.Env = append(os.Environ(), "LOCKSTEP_NEVER="+which)
		out, err := cmd.Output()
		if cmd.ProcessState.ExitCode() != 3 || !want.Match(out) {
			t.Errorf("%s: %v\n%s", which, err, out)
		}
	}
}

func TestAPanicNamesItsLine(t *testing.T) {
	for text, do := range map[string]func(){
		"boom": func() { panic("boom") },
		"runtime error: index out of range [3] with length 0":  func() { _ = []int{}[len(os.Args[0])*0+3] },
		"its goroutine was ended by runtime.Goexit":            func() { runtime.Goexit() },
		"unexpected call to os.Exit(0) during test":            func() { os.Exit(0) },
		"runtime error: invalid memory address or nil pointer": func() { _ = *(*int)(nil) },
	} {
		w := worldOf(t, "", script(func(context.Context, strategies.Env) error {
			do()
			return nil
		}))
		play(t, w, "A")
		events := w.History().Events
		last := events[len(events)-1]
		if last.Kind != history.Panic || !strings.HasPrefix(last.Text, text) || !strings.HasPrefix(last.Source, "world_test/stuck_test.go:") || w.Alive("A") {
			t.Errorf("%s: %+v", text, last)
		}
	}
}
