package remote_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"lockstep/internal/testkit"
	"lockstep/scenarios"
	"lockstep/sim"
	"lockstep/sim/bubble"
	"lockstep/sim/explore"
	"lockstep/sim/history"
	"lockstep/sim/program"
	"lockstep/sim/remote"
	"lockstep/sim/world"
	"lockstep/strategies"
)

const (
	envSubject = "LOCKSTEP_TEST_REMOTE"
	envMeeting = "LOCKSTEP_TEST_MEETING" // the folder in which processes meet
)

// TestServed is the served process of the other tests.
func TestServed(t *testing.T) {
	id := os.Getenv(envSubject)
	if id == "" {
		t.Skip("others run it, in a process of its own")
	}
	s := program.Subject{Nodes: 1, New: func(env strategies.Env) strategies.Lock { return bad(id) }}
	if own, err := scenarios.SubjectOf(id); err == nil {
		s = own
	}
	bubble.Seed()
	s.Start = bubble.Start
	program.SetPatience(time.Second)
	if id == "closes and waits" || id == "long" { // 50 MB take their time on a busy machine
		program.SetPatience(time.Hour)
	}
	if err := remote.Serve(os.NewFile(remote.Questions, "questions"), os.NewFile(remote.Answers, "answers"), s, nil, func() program.Traits { return program.Traits{Draws: s.Draws} }, false); err != nil {
		fmt.Fprintln(os.Stderr, err)
		t.FailNow()
	}
}

// never is made outside of all bubbles: who waits for it is not at rest.
var never = make(chan bool)

// held is held.
var held sync.Mutex

func init() {
	held.Lock()
	if os.Getenv(envSubject) == "panic outside" {
		go func() {
			for ticks.Load() == 0 {
				time.Sleep(time.Millisecond)
			}
			time.Sleep(5 * time.Millisecond)
			panic("outside")
		}()
		go func() {
			for {
				time.Sleep(10 * time.Millisecond)
				passed.Add(1)
			}
		}()
	}
}

// ticks is set once a lock begins that has time, and passed is the real time since the start of
// the process, in hundredths of a second.
var ticks, passed atomic.Int64

func hundredths() int64 { ticks.Store(1); return passed.Load() }

// A bad lock misbehaves as its name says.
type bad string

func (b bad) Lock(context.Context) (strategies.Grant, error) {
	switch b {
	case "exit":
		os.Exit(3)
	case "waits":
		held.Lock()
	case "meets":
		if err := os.WriteFile(filepath.Join(os.Getenv(envMeeting), strconv.Itoa(os.Getpid())), nil, 0o600); err != nil {
			panic(err)
		}
		for there := 0; there < 2; runtime.Gosched() {
			all, _ := os.ReadDir(os.Getenv(envMeeting))
			there = len(all)
		}
	case "panic elsewhere":
		go func() { panic("no idea") }()
		time.Sleep(time.Second)
	case "panic by chance":
		ready := make(chan bool)
		close(ready)
		select {
		case <-ready:
		case <-ready:
			go func() { panic("no idea") }()
			time.Sleep(time.Second)
		}
	case "panic in time":
		go func() { time.Sleep(time.Millisecond); panic("no idea") }()
		time.Sleep(time.Second)
	case "panic outside":
		for begun := hundredths(); hundredths() < begun+30; { // without a bubble's clock
		}
	case "spin":
		for {
			runtime.Gosched()
		}
	case "closes":
		_ = os.NewFile(remote.Answers, "answers").Close()
	case "closes and waits":
		_ = os.NewFile(remote.Answers, "answers").Close()
		go time.Sleep(0)
		<-never
	case "garbage":
		_, _ = os.NewFile(remote.Answers, "answers").WriteString("garbage and more of it")
	case "flood":
		f, b := os.NewFile(remote.Answers, "answers"), bytes.Repeat([]byte("\xfc\x30\x00\x00\x00"), 1<<20)
		for {
			if _, err := f.Write(b); err != nil {
				select {}
			}
		}
	case "looks", "looks and waits", "looks and ends":
		looks()
		if b == "looks and waits" {
			<-never
		}
		if b == "looks and ends" {
			os.Exit(0)
		}
	case "looks at too much":
		for i := range 10_001 {
			_ = os.Getenv(strconv.Itoa(i))
		}
	case "long":
		panic(strings.Repeat("long ", 10<<20))
	case "stopped":
		time.Sleep(0)
		p, _ := os.FindProcess(os.Getpid())
		_ = p.Signal(os.Kill)
		select {}
	}
	return strategies.Grant{}, nil
}

func (b bad) Unlock(context.Context, strategies.Grant) error { return nil }

// served returns a lock that runs in another process.
func served(t *testing.T, id string, started ...func(*exec.Cmd)) program.Subject {
	t.Helper()
	return hosted(t, serving(id, started...), nil)
}

// serving makes the process of a lock.
func serving(id string, started ...func(*exec.Cmd)) func() (*exec.Cmd, error) {
	return func() (*exec.Cmd, error) {
		cmd := exec.Command(os.Args[0], "-test.run=^TestServed$")
		cmd.Env = append(os.Environ(), envSubject+"="+id, "GORACE=atexit_sleep_ms=0") // or its end takes a second under -race
		for _, f := range started {
			f(cmd)
		}
		return cmd, nil
	}
}

func hosted(t *testing.T, command, adapted func() (*exec.Cmd, error)) program.Subject {
	t.Helper()
	h := remote.NewPool(command, adapted)
	t.Cleanup(h.Close)
	return program.Subject{Nodes: 1, Start: h.Start}
}

// TestSame: a lock has the same history in another process, to the byte.
func TestSame(t *testing.T) {
	for id, says := range map[string][]string{
		"set-lua": nil, "watchdog-lua": nil,
		"pubsub-wakeup": {`"receive"`, `"push"`}, "list-semaphore": {`"wait"`, `"push"`},
	} {
		own := testkit.Must(scenarios.SubjectOf(id))(t)
		own.Start = bubble.Start
		want, got := played(t, own, id), played(t, served(t, id), id)
		if got != want {
			t.Errorf("%s: there\n%s\nhere\n%s", id, got, want)
		}
		for _, kind := range says {
			if !strings.Contains(got, kind) {
				t.Errorf("%s: nothing of the kind %s happens in\n%s", id, kind, got)
			}
		}
	}
}

func played(t *testing.T, s program.Subject, id string) string {
	t.Helper()
	c := history.Default()
	c.Strategy, c.Work = id, 2*history.Second
	w := testkit.Must(world.New(c, s))(t)
	defer w.Close()
	for n := range 60 {
		enabled := w.Enabled(history.Action{Verb: history.Step})
		if len(enabled) == 0 { // otherwise a lease ends during the work
			enabled = w.Enabled(history.Action{Verb: history.Tick})
		}
		if len(enabled) == 0 {
			break
		}
		testkit.OK(t, w.Perform(enabled[n*7%len(enabled)]))
	}
	var b bytes.Buffer
	testkit.OK(t, history.WriteJSON(&b, w.History()))
	return b.String()
}

// TestSameSearch: an exploration has the same result and as many states.
func TestSameSearch(t *testing.T) {
	for id, under := range map[string]string{"set-del": "overrun", "pubsub-wakeup": "lost-push", "pubsub-timed": "contention", "list-semaphore": "crash"} {
		own := testkit.Must(scenarios.SubjectOf(id))(t)
		own.Start = bubble.Start
		h, _ := explore.FindHazard(under)
		want, got := found(t, h, own, id), found(t, h, served(t, id), id)
		if len(want) < 2 && id != "pubsub-timed" || !slices.Equal(want, got) {
			t.Errorf("%s: there %q, here %q", id, got, want)
		}
	}
}

func found(t *testing.T, h explore.Hazard, s program.Subject, id string) (list []string) {
	t.Helper()
	l := explore.Lock{ID: id, Subject: s}
	r, err := explore.Explore(t.Context(), h.Config(l, "A", "B"), l.Subject, h.Bounds, explore.Options{})
	r.Hazard = h.ID
	if err != nil || r.Limit != "" {
		t.Fatalf("%v, limit %q", err, r.Limit)
	}
	for _, f := range r.Found {
		list = append(list, history.Token(r.Config, f.Schedule))
	}
	return append(list, fmt.Sprint(r.States, r.Transitions, r.ClientRuns))
}

// TestBadLocks: a process that ends is an error, and its clients continue in a
// new process.
func TestBadLocks(t *testing.T) {
	for id, want := range map[string]string{
		"exit": "exit status 3", "spin": "no sleep for 1s", "stopped": "killed",
		"closes": "bad file descriptor", "closes and waits": "it closed its channel to Lockstep, before its first command",
		"garbage": "what it sent cannot be read", "flood": "more than 1048576 bytes",
	} {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			s := served(t, id)
			var stuck *program.StuckError
			for range 2 {
				c := program.New(history.Default(), s, "A")
				_, _, err := c.Observe(0, 0, sim.Observation{Shown: sim.Epoch()})
				if !errors.Is(err, remote.ErrEnded) && !errors.As(err, &stuck) || !strings.Contains(err.Error(), want) {
					t.Errorf("%v", err)
				}
				c.Close()
			}
		})
	}
}

// TestPanic: a panic in a goroutine of the code is an event of the observation that led to it, as
// often as it is made; the process ends. Where time has led to it, or a goroutine that is no
// client's, it is an error.
func TestPanic(t *testing.T) {
	for id, want := range map[string]string{"panic elsewhere": "", "panic in time": "no idea", "panic outside": "outside"} {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			s := served(t, id)
			for range 2 {
				c := program.New(history.Default(), s, "A")
				_, events, err := c.Observe(0, 0, sim.Observation{Shown: sim.Epoch()})
				switch {
				case want != "":
					if !errors.Is(err, remote.ErrPanicked) || !strings.Contains(err.Error(), want) {
						t.Errorf("%v, %+v", err, events)
					}
				case err != nil, len(events) != 1, events[0].Kind != history.Panic, events[0].Text != "no idea", !strings.HasPrefix(events[0].Source, "remote_test/remote_test.go:"), !c.Wants(0)[0].Ended:
					t.Errorf("%v, %+v, wants %+v", err, events, c.Wants(0))
				}
				c.Die()
				c.Close()
			}
		})
	}
}

// TestPanicByChance: of code that panics or does not, each is had as often as it is asked for.
func TestPanicByChance(t *testing.T) {
	s := served(t, "panic by chance")
	does := func(drew uint32) (did program.Did, panics bool) {
		c := program.New(history.Default(), s, "A")
		defer c.Close()
		_, did, err := c.Walk([]program.Stride{{Observed: program.Observed{Observation: sim.Observation{Shown: sim.Epoch(), Drew: drew}}}})
		testkit.OK(t, err)
		return did, slices.ContainsFunc(did.Events, func(e history.Event) bool { return e.Kind == history.Panic })
	}
	usual, panics := does(0)
	for panics {
		usual, panics = does(0)
	}
	others := 0
	for range 5 {
		if did, panics := does(program.Panics); !panics {
			t.Errorf("asked to panic, it does %+v", did)
		}
		did, panics := does(usual.Drew)
		if panics {
			t.Errorf("asked not to, it does %+v", did)
		}
		for _, o := range did.Others {
			if others++; o.At != 0 || o.Drew != program.Panics || o.Events[0].Kind != history.Panic {
				t.Errorf("it did %+v", o)
			}
		}
	}
	t.Log(others, "panics on the way")
}

// TestLongText: what code says at length comes as its beginning and its end.
func TestLongText(t *testing.T) {
	c := program.New(history.Default(), served(t, "long"), "A")
	defer c.Close()
	_, events, err := c.Observe(0, 0, sim.Observation{Shown: sim.Epoch()})
	for _, e := range events {
		if e.Kind == history.Panic && len(e.Text) < 1000 && strings.Contains(e.Text, "52428540 bytes left out") {
			return
		}
	}
	t.Errorf("%v, %.2000v", err, events)
}

// TestNoTime: a process that does not answer after its context has ended is not
// the lock's error.
func TestNoTime(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c := program.New(history.Default(), served(t, "stopped"), "A")
	defer c.Close()
	c.Within(ctx)
	var stuck *program.StuckError
	if _, _, err := c.Observe(0, 0, sim.Observation{Shown: sim.Epoch()}); !errors.As(err, &stuck) {
		t.Error(err)
	}
}

// TestGoesOn: a client continues in a new process; only the question during the
// end returns an error.
func TestGoesOn(t *testing.T) {
	var processes []*exec.Cmd
	s := served(t, "set-lua", func(cmd *exec.Cmd) { processes = append(processes, cmd) })
	config := history.Default()
	config.Strategy = "set-lua"
	a, probe := program.New(config, s, "A"), program.New(config, s, sim.Probe)
	defer a.Close()
	defer probe.Close()
	begin := sim.Observation{Shown: sim.Epoch()}
	if _, _, err := a.Observe(0, 0, begin); err != nil {
		t.Fatal(err)
	}
	testkit.OK(t, processes[0].Process.Kill())
	if _, _, err := probe.Observe(0, 0, begin); !errors.Is(err, remote.ErrEnded) {
		t.Errorf("the probe: %v", err)
	}
	_, _, err := a.Observe(0, 0, sim.Observation{Kind: sim.SawReply, Shown: sim.Epoch(), Reply: []byte("+OK\r\n")})
	if err != nil || len(processes) != 2 || a.Wants(0)[0].Label != history.Enter {
		t.Errorf("A: %v, %d processes, wants %+v", err, len(processes), a.Wants(0))
	}
}

// TestOwnProcesses: the code of two clients runs at once, in two processes, and
// the end of one is nothing to the other.
func TestOwnProcesses(t *testing.T) {
	t.Setenv(envMeeting, t.TempDir())
	var processes []*exec.Cmd
	s := served(t, "meets", func(cmd *exec.Cmd) { processes = append(processes, cmd) })
	a, b := program.New(history.Default(), s, "A"), program.New(history.Default(), s, "B")
	defer a.Close()
	defer b.Close()
	beginAtOnce(t, a, b)
	if len(processes) != 2 {
		t.Fatalf("%d processes", len(processes))
	}
	testkit.OK(t, processes[0].Process.Kill())
	ended := 0
	for _, c := range []program.Code{a, b} {
		if _, _, err := c.Observe(0, 0, sim.Observation{Kind: sim.SawAccess, Shown: sim.Epoch()}); errors.Is(err, remote.ErrEnded) {
			ended++
		} else if err != nil {
			t.Error(err)
		}
	}
	if ended != 1 {
		t.Errorf("%d clients were ended with one process", ended)
	}
}

// TestMoreClients: a pool of many clients has few processes.
func TestMoreClients(t *testing.T) {
	processes := 0
	s := served(t, "set-lua", func(*exec.Cmd) { processes++ })
	config := history.Default()
	config.Strategy, config.Clients = "set-lua", []string{"A", "B", "C", "D", "E", "F"}
	for _, name := range append(config.Clients, sim.Probe) {
		c := program.New(config, s, name)
		defer c.Close()
		if _, _, err := c.Observe(0, 0, sim.Observation{Shown: sim.Epoch()}); err != nil {
			t.Fatal(err)
		}
	}
	if processes != 4 {
		t.Errorf("%d processes", processes)
	}
}

// TestAdaptedAtOnce: two clients whose code has to be adapted are asked at the same time,
// and both go on.
func TestAdaptedAtOnce(t *testing.T) {
	s := hosted(t, serving("waits"), serving("set-lua"))
	a, b := program.New(history.Default(), s, "A"), program.New(history.Default(), s, "B")
	defer a.Close()
	defer b.Close()
	a.Wants(0) // the processes have started
	b.Wants(0)
	beginAtOnce(t, a, b)
}

// beginAtOnce lets clients begin.
func beginAtOnce(t *testing.T, clients ...program.Code) {
	t.Helper()
	var all sync.WaitGroup
	for _, c := range clients {
		all.Go(func() {
			if _, _, err := c.Observe(0, 0, sim.Observation{Shown: sim.Epoch()}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}
