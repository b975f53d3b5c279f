package world_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"go.uber.org/goleak"

	"lockstep/internal/testkit"
	"lockstep/internal/testkit/judge"
	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/program"
	"lockstep/sim/world"
	"lockstep/strategies"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// worldOf builds a world of a mutant, which the test closes at its end.
func worldOf(t *testing.T, config string, s program.Subject) *world.World {
	t.Helper()
	c := testkit.Must(history.ParseConfig("strategy=mutant clients=A,B " + config))(t)
	c.LockKey = s.Key
	w := testkit.Must(world.New(c, s))(t)
	t.Cleanup(func() {
		judge.Agree(t, w.History())
		w.Close()
	})
	return w
}

func play(t *testing.T, w *world.World, schedule string) {
	t.Helper()
	s := testkit.Must(history.ParseSchedule(schedule))(t)
	if err := w.Run(s); err != nil {
		t.Fatalf("%v\n%s", err, transcript(w))
	}
}

// commandTexts lists the commands of the events of a kind, as text.
func commandTexts(w *world.World, kind history.Kind) []string {
	var out []string
	for _, e := range w.History().Events {
		if e.Kind == kind {
			text := history.CommandText(e.Cmds)
			if kind != history.Request {
				text += " -> " + e.Reply
			}
			out = append(out, text)
		}
	}
	return out
}

func wantEqual(t *testing.T, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got\n %q\nwant\n %q", got, want)
	}
}

// script is a lock whose Lock runs any function.
func script(do func(ctx context.Context, e strategies.Env) error) program.Subject {
	return mutantOf(func(ctx context.Context, e strategies.Env) (strategies.Grant, error) {
		return strategies.Grant{}, do(ctx, e)
	}, nothing)
}

func TestCommandsReachTheNodeAsGoRedisSendsThem(t *testing.T) {
	s := script(func(ctx context.Context, e strategies.Env) error {
		e.Redis.Set(ctx, "k", "v", time.Second)
		_, _ = e.Redis.Pipelined(ctx, func(p redis.Pipeliner) error {
			p.Incr(ctx, "n")
			p.Incr(ctx, "n")
			return nil
		})
		_, _ = e.Redis.TxPipelined(ctx, func(p redis.Pipeliner) error {
			p.Get(ctx, "k")
			p.PTTL(ctx, "k")
			return nil
		})
		return redis.NewScript(`return redis.call("GET", KEYS[1])`).Run(ctx, e.Redis, []string{"k"}).Err()
	})
	w := worldOf(t, "", s)
	play(t, w, "A*6")
	for _, moment := range []history.Kind{history.Apply, history.Reply} {
		wantEqual(t, commandTexts(w, moment), []string{
			"SET k v EX 1 -> OK",
			"INCR n -> 1", "INCR n -> 2",
			"MULTI; GET k; PTTL k; EXEC -> [v 1000]",
			"EVALSHA {d1ad83} 1 k -> (error) NOSCRIPT No matching script. Please use EVAL.",
			"EVAL {script} 1 k -> v",
		})
	}
}

func TestWatchedTransactionAbortsWhenTheKeyChanges(t *testing.T) {
	var failed error
	s := script(func(ctx context.Context, e strategies.Env) error {
		failed = e.Redis.Watch(ctx, func(tx *redis.Tx) error {
			_, err := tx.TxPipelined(ctx, func(p redis.Pipeliner) error {
				p.Set(ctx, "k", "mine", 0)
				return nil
			})
			return err
		}, "k")
		return failed
	})
	w := worldOf(t, "", s)
	play(t, w, "A*2 B*3 A")
	if !errors.Is(failed, redis.TxFailedErr) {
		t.Errorf("EXEC after another client's write: %v", failed)
	}
	wantEqual(t, commandTexts(w, history.Apply)[3:], []string{"MULTI; SET k mine; EXEC -> nil"})
}

func TestRequestApplyAndReplyAreSeparable(t *testing.T) {
	for _, tt := range []struct {
		name, schedule             string
		requests, applies, replies int // so many
	}{
		{"in one step", "A*2", 1, 1, 1},
		{"one by one", "A A.send A.apply A", 1, 1, 1},
		{"another comes between", "A B A.send B A", 2, 2, 2},
		{"the request is lost", "A A.lose-request +1000 A", 1, 0, 0},
		{"the reply is lost", "A A.lose-reply +1000 A", 1, 1, 0},
		{"it arrives after its sender gave up", "A A.send +1000 A A.late", 1, 1, 0},
		{"it arrives after its sender died", "A A.send A.crash A.late", 1, 1, 0},
		{"the sender dies before it is sent", "A A.crash", 0, 0, 0},
		{"the sender dies before it reads the reply", "A A.apply A.crash", 1, 1, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := worldOf(t, "", errorsOf("1 INCR n"))
			play(t, w, tt.schedule)
			if got := commandTexts(w, history.Request); len(got) != tt.requests {
				t.Errorf("requests: %q", got)
			}
			incremented := []string{"INCR n -> 1", "INCR n -> 2"}
			wantEqual(t, commandTexts(w, history.Apply), incremented[:tt.applies])
			wantEqual(t, commandTexts(w, history.Reply), incremented[:tt.replies])
		})
	}
}

func TestLostReplyIsATimeOutToTheClient(t *testing.T) {
	w := worldOf(t, "timeout=300ms", errorsOf("1 INCR n"))
	play(t, w, "A A.lose-reply +299")
	if err := w.Perform(history.Action{Verb: history.Step, Client: "A"}); !errors.Is(err, world.ErrNotEnabled) {
		t.Errorf("a step before the timeout: %v", err)
	}
	play(t, w, "+1 A")
	if got := failure(w); !strings.Contains(got, "i/o timeout") {
		t.Errorf("after the timeout the client got %s", got)
	}
}

func TestGoRedisRetriesAreSwitchable(t *testing.T) {
	w := worldOf(t, "retries=1", errorsOf("1 SET k x EX 60 NX"))
	play(t, w, "A A.lose-reply +1000 A*2")
	wantEqual(t, commandTexts(w, history.Apply), []string{"SET k x EX 60 NX -> OK", "SET k x EX 60 NX -> nil"})
}

func TestCrashedClientSendsNothingMore(t *testing.T) {
	unwound := 0
	s := script(func(ctx context.Context, e strategies.Env) error {
		defer func() {
			unwound++
			_ = recover()
			for range 3 { // a clean-up that retries after a failure
				e.Redis.Del(ctx, e.Key)
			}
			unwound++
		}()
		e.Go("background", func() { e.Redis.Incr(ctx, "background") })
		return e.Redis.Set(ctx, e.Key, "x", 0).Err()
	})
	w := worldOf(t, "", s)
	play(t, w, "A A/1 A.crash")
	if got := commandTexts(w, history.Request); len(got) != 0 {
		t.Errorf("a dead client sent %q", got)
	}
	if unwound != 1 {
		t.Errorf("deferred call reached point %d, want 1: it runs, and ends at the seam", unwound)
	}
	if err := w.Perform(history.Action{Verb: history.Step, Client: "A"}); !errors.Is(err, world.ErrNotEnabled) {
		t.Errorf("a step of a dead client: %v", err)
	}
}

func TestTheDeadDoNothing(t *testing.T) {
	w := worldOf(t, "nest=4", subject(t, "reentrant-counter"))
	play(t, w, "A*4 A.crash")
	if last := w.History().Events[len(w.History().Events)-1]; last.Kind != history.Fault {
		t.Errorf("after its crash, A did this: %+v", last)
	}
}

func TestPanicInTheBackgroundEndsTheProcess(t *testing.T) {
	s := mutantOf(func(ctx context.Context, e strategies.Env) (strategies.Grant, error) {
		e.Go("background", func() { panic("no reason") })
		return setNX(ctx, e)
	}, del)
	w := worldOf(t, "", s)
	play(t, w, "A*3 A/1")
	m := history.NewMonitor(w.History().Config, 1)
	for _, e := range w.History().Events {
		m.Observe(e)
	}
	if w.Alive("A") || m.Alive("A") || m.Inside("A") || m.Holds("A") {
		t.Errorf("alive %t; the monitor says alive %t, inside %t, holds %t", w.Alive("A"), m.Alive("A"), m.Inside("A"), m.Holds("A"))
	}
}

func TestBinaryValuesStayPrintable(t *testing.T) {
	s := script(func(ctx context.Context, e strategies.Env) error {
		e.Redis.Set(ctx, "k", "\xff\x1b[31m", 0)
		return errors.New("a \x1b[31mred\x1b[0m error")
	})
	w := worldOf(t, "", s)
	play(t, w, "A*2")
	var out bytes.Buffer
	testkit.OK(t, history.WriteJSON(&out, w.History()))
	lines := json.NewDecoder(&out)
	var header any
	testkit.OK(t, lines.Decode(&header))
	for _, want := range w.History().Events {
		var got history.Event
		if err := lines.Decode(&got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("read back, %+v is %+v, %v", want, got, err)
		}
	}
	if text := transcript(w); strings.ContainsRune(text, 0x1b) {
		t.Errorf("the transcript has an escape: %q", text)
	}
	if raw := w.Keys()[0]; raw.State.Value != `"\xff\x1b[31m"` {
		t.Errorf("the key holds %q", raw.State.Value)
	}
}

func TestPanicEndsTheProcess(t *testing.T) {
	s := script(func(ctx context.Context, e strategies.Env) error {
		e.Go("background", func() { e.Redis.Incr(ctx, "n") })
		e.Redis.Get(ctx, "k")
		panic("nil has no attribute")
	})
	w := worldOf(t, "", s)
	play(t, w, "A A/1 A")
	last := w.History().Events[len(w.History().Events)-1]
	if last.Kind != history.Panic || last.Text != "nil has no attribute" {
		t.Errorf("last event: %+v", last)
	}
	if w.Alive("A") || !w.Strands("A")[1].Ended {
		t.Error("the client lives on")
	}
}

func TestHungClientsBackgroundGoesOn(t *testing.T) {
	s := script(func(ctx context.Context, e strategies.Env) error {
		e.Go("background", func() { e.Redis.Incr(ctx, "n") })
		return e.Redis.Get(ctx, "k").Err()
	})
	w := worldOf(t, "", s)
	play(t, w, "A A.hang A/1*2")
	wantEqual(t, commandTexts(w, history.Apply), []string{"INCR n -> 1"})
	if err := w.Perform(history.Action{Verb: history.Step, Client: "A"}); !errors.Is(err, world.ErrNotEnabled) {
		t.Errorf("a step of a hung strand: %v", err)
	}
}

func TestKeyLivesThroughItsDeadline(t *testing.T) {
	for _, tt := range []struct {
		schedule string
		want     []string
	}{
		{"A*2 +99 A*2", []string{"PTTL k -> 1", "GET k -> v"}},
		{"A*2 +100 A*2", []string{"PTTL k -> 0", "GET k -> v"}},
		{"A*2 +101 A*2", []string{"PTTL k -> -2", "GET k -> nil"}},
	} {
		w := worldOf(t, "", errorsOf("1 SET k v PX 100", "1 PTTL k", "1 GET k"))
		play(t, w, tt.schedule)
		wantEqual(t, commandTexts(w, history.Apply)[1:], tt.want)
	}
}

func TestClientClocks(t *testing.T) {
	var read []string
	s := script(func(ctx context.Context, e strategies.Env) error {
		read = append(read, e.Clock.Now().Format("15:04:05.000"))
		_ = e.Clock.Sleep(ctx, time.Second)
		read = append(read, e.Clock.Now().Format("15:04:05.000"))
		return nil
	})
	for _, tt := range []struct {
		schedule string
		want     []string
	}{
		{"A*2 +1000 A*2", []string{"12:00:00.000", "12:00:01.000"}},
		{"A.jump-10000 A*2 +1000 A*2", []string{"11:59:50.000", "11:59:51.000"}},
		{"A.rate+3000 A*2 +333 tick A*2", []string{"12:00:00.000", "12:00:01.002"}},
		{"A.rate+2000 A*2 tick A*2", []string{"12:00:00.000", "12:00:01.000"}},
		{"A.rate+2000 A*2 +1000 A*2", []string{"12:00:00.000", "12:00:02.000"}},
		{"A*2 A.jump+60000 tick A*2", []string{"12:00:00.000", "12:01:01.000"}},
	} {
		read = nil
		w := worldOf(t, "", s)
		play(t, w, tt.schedule)
		wantEqual(t, read, tt.want)
	}
}

func TestSleepEndsWithItsContext(t *testing.T) {
	s := script(func(ctx context.Context, e strategies.Env) error {
		ctx, cancel := context.WithCancel(ctx)
		e.Go("other", func() { cancel() })
		return e.Clock.Sleep(ctx, time.Hour)
	})
	w := worldOf(t, "", s)
	play(t, w, "A A/1 A")
	if w.Now() != 0 {
		t.Errorf("time is %v", w.Now())
	}
}

func TestScriptFlush(t *testing.T) {
	s := script(func(ctx context.Context, e strategies.Env) error {
		one := redis.NewScript(`return 1`)
		one.Run(ctx, e.Redis, nil)
		return one.Run(ctx, e.Redis, nil).Err()
	})
	for schedule, want := range map[string]int{"A*4": 3, "A*3 flush A*2": 4} {
		w := worldOf(t, "", s)
		play(t, w, schedule)
		if got := commandTexts(w, history.Apply); len(got) != want {
			t.Errorf("%s: %q, want %d commands", schedule, got, want)
		}
	}
}

// TestWorldsLeaveNothingBehind opens worlds and closes them at many points of a
// run.
func TestWorldsLeaveNothingBehind(t *testing.T) {
	worlds := testkit.Size(t, 2000, 500)
	c := history.Default()
	s := subject(t, "setnx-expire")
	c.Strategy = "setnx-expire"
	memory := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	open := func(i int) {
		w := testkit.Must(world.New(c, s))(t)
		defer w.Close()
		for range i % 7 {
			testkit.OK(t, w.Perform(history.Action{Verb: history.Step, Client: "A"}))
		}
	}
	for i := range 100 {
		open(i)
	}
	goroutines, before := runtime.NumGoroutine(), memory()
	for i := range worlds {
		open(i)
	}
	if after := memory(); after > before+4<<20 {
		t.Errorf("%d worlds left %d KiB behind", worlds, (after-before)>>10)
	}
	for try := 0; runtime.NumGoroutine() > goroutines; try++ {
		if try == 100 {
			t.Fatalf("%d goroutines became %d", goroutines, runtime.NumGoroutine())
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func TestEveryEventOfACommandNamesItsLine(t *testing.T) {
	w := worldOf(t, "", subject(t, "set-lua"))
	play(t, w, "A*6 A.send +1000 A A.late B B.lose-reply")
	kinds := map[history.Kind]int{}
	for _, e := range w.History().Events {
		if len(e.Cmds) == 0 {
			continue
		}
		kinds[e.Kind]++
		if !strings.HasPrefix(e.Source, "strategies/set_lua.go:") {
			t.Errorf("%s of %v names %q", e.Kind, e.Cmds, e.Source)
		}
	}
	for _, kind := range []history.Kind{history.Request, history.Apply, history.Reply, history.TimeOut, history.Fault} {
		if kinds[kind] == 0 {
			t.Errorf("no event of kind %s", kind)
		}
	}
}

func TestWatchingAgainForgetsNothing(t *testing.T) {
	s := script(func(ctx context.Context, e strategies.Env) error {
		conn := e.Redis.Conn()
		defer conn.Close()
		conn.Do(ctx, "WATCH", "k")
		conn.Do(ctx, "SET", "k", "v")
		conn.Do(ctx, "WATCH", "k")
		_, err := conn.TxPipelined(ctx, func(p redis.Pipeliner) error { return p.Get(ctx, "k").Err() })
		return err
	})
	w := worldOf(t, "", s)
	play(t, w, "A*5")
	wantEqual(t, commandTexts(w, history.Apply)[3:], []string{"MULTI; GET k; EXEC -> nil"})
}

func TestARecoveryThatTakesTooLongIsNotDecided(t *testing.T) {
	c := testkit.Must(history.ParseConfig("strategy=watch-del clients=A,B ttl=1000h wait=1000h"))(t)
	s := testkit.Must(history.ParseSchedule("A*3 A.crash B*3"))(t)
	subject := subject(t, "watch-del")
	if ok, _, err := world.Recovers(t.Context(), c, subject, s); ok || !errors.Is(err, sim.ErrUndecided) {
		t.Errorf("%t, %v", ok, err)
	}
}

func TestABusyLoopDoesNotStopTime(t *testing.T) {
	busy := mutantOf(func(ctx context.Context, e strategies.Env) (strategies.Grant, error) {
		for {
			if g, err := setNX(ctx, e); err == nil {
				return g, nil
			}
		}
	}, del)
	c := history.Default()
	c.Strategy = "busy"
	s := testkit.Must(history.ParseSchedule("A*2 A.crash B*3"))(t)
	if ok, detail, err := world.Recovers(t.Context(), c, busy, s); !ok || err != nil {
		t.Errorf("%q, %v", detail, err)
	}
}
