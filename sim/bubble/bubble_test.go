package bubble_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"hash/maphash"
	oldrand "math/rand"
	mathrand "math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"lockstep/internal/testkit"
	"lockstep/scenarios"
	"lockstep/sim/bubble"
	"lockstep/sim/explore"
	"lockstep/sim/history"
	"lockstep/sim/program"
	"lockstep/sim/world"
	"lockstep/strategies"
)

// TestSameVerdicts: a lock has the same violations in a bubble as on a
// coroutine, with as many faults. Schedules differ in length, because a wake-up
// is a step of the clock in a bubble.
func TestSameVerdicts(t *testing.T) {
	for _, id := range []string{"set-lua", "setnx-expire"} {
		for _, hazard := range testkit.Some(t, []string{"lost-reply", "contention", "crash", "reentry", "hang", "node-restart", "partition"}, 4, 2) {
			own := testkit.Must(scenarios.SubjectOf(id))(t)
			foreign := own
			foreign.Start = bubble.Start
			h, _ := explore.FindHazard(hazard)
			want, got := found(t, h, id, own), found(t, h, id, foreign)
			if !slices.Equal(got, want) {
				t.Errorf("%s under %s: %q in a bubble, %q on a coroutine", id, hazard, got, want)
			}
		}
	}
}

func found(t *testing.T, h explore.Hazard, id string, s program.Subject) (list []string) {
	t.Helper()
	r, err := explored(t.Context(), h, explore.Lock{ID: id, Subject: s}, explore.Options{}, "A", "B")
	if err != nil || r.Limit != "" {
		t.Fatalf("%s under %s: %v, limit %q", id, h.ID, err, r.Limit)
	}
	for _, f := range r.Found {
		list = append(list, fmt.Sprintf("%s %d", f.Violation.Invariant, r.Faults(&f)))
	}
	return list
}

// A busyLock does what locks of libraries do: parallel requests to all nodes, a
// deadline, a watchdog with a ticker, random numbers.
type busyLock struct {
	nodes []*redis.Client
	key   string
	ttl   time.Duration
	value string
	stop  context.CancelFunc
}

func newBusy(env strategies.Env) strategies.Lock {
	return &busyLock{nodes: env.Nodes, key: env.Key, ttl: env.TTL}
}

func (l *busyLock) onAll(ctx context.Context, do func(context.Context, *redis.Client) error) (good int) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	for _, r := range l.nodes {
		wg.Go(func() {
			if do(ctx, r) == nil {
				mu.Lock()
				defer mu.Unlock()
				good++
			}
		})
	}
	wg.Wait()
	return good
}

func (l *busyLock) Lock(ctx context.Context) (strategies.Grant, error) {
	ctx, cancel := context.WithTimeout(ctx, l.ttl/2)
	defer cancel()
	l.value = rand.Text()
	set := func(ctx context.Context, r *redis.Client) error {
		ok, err := r.SetNX(ctx, l.key, l.value, l.ttl).Result()
		if err == nil && !ok {
			err = errors.New("taken")
		}
		return err
	}
	if l.onAll(ctx, set) <= len(l.nodes)/2 {
		return strategies.Grant{}, strategies.ErrNotAcquired
	}
	background, stop := context.WithCancel(context.Background())
	l.stop = stop
	go func() {
		tick := time.NewTicker(l.ttl / 3)
		defer tick.Stop()
		for {
			select {
			case <-background.Done():
				return
			case <-tick.C:
				if l.onAll(background, func(ctx context.Context, r *redis.Client) error { return r.PExpire(ctx, l.key, l.ttl).Err() }) == 0 {
					return
				}
			}
		}
	}()
	return strategies.Grant{Token: l.value}, nil
}

func (l *busyLock) Unlock(ctx context.Context, _ strategies.Grant) error {
	l.stop()
	l.onAll(ctx, func(ctx context.Context, r *redis.Client) error { return r.Del(ctx, l.key).Err() })
	return nil
}

// TestSameBytes replays random schedules, on one processor and on more: equal
// schedules yield equal bytes.
func TestSameBytes(t *testing.T) {
	bubble.Seed()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for seed := range uint64(3) {
		var first []byte
		var schedule history.Schedule
		for n := range testkit.Size(t, 10, 4) {
			runtime.GOMAXPROCS([]int{1, 2, 8}[n%3])
			bytes, played := busyRun(t, seed, schedule)
			if n == 0 {
				first, schedule = bytes, played
			} else if string(bytes) != string(first) {
				t.Fatalf("seed %d, run %d:\n%s\ninstead of\n%s", seed, n, bytes, first)
			}
		}
		if !strings.Contains(string(first), "PEXPIRE") || !strings.Contains(string(first), "r3") {
			t.Errorf("seed %d: no watchdog ticked, or not all nodes were asked:\n%s", seed, first)
		}
	}
}

// busyRun plays a schedule, or a random one.
func busyRun(t *testing.T, seed uint64, schedule history.Schedule) ([]byte, history.Schedule) {
	t.Helper()
	c := history.Default()
	c.Strategy, c.Nodes, c.Work = "busy", 3, 4*history.Second
	w := testkit.Must(world.New(c, program.Subject{New: newBusy, Nodes: 3, Start: bubble.Start}))(t)
	defer w.Close()
	rng := mathrand.New(mathrand.NewPCG(seed, 0))
	for n := range 150 {
		var a history.Action
		if schedule != nil {
			if n == len(schedule) {
				break
			}
			a = schedule[n]
		} else {
			enabled := w.Enabled(history.Action{Verb: history.Step}, history.Action{Verb: history.Step}, history.Action{Verb: history.Tick})
			if len(enabled) == 0 {
				break
			}
			a = enabled[rng.IntN(len(enabled))]
		}
		testkit.OK(t, w.Perform(a))
	}
	var b bytes.Buffer
	testkit.OK(t, history.WriteJSON(&b, w.History()))
	return b.Bytes(), w.History().Schedule
}

// TestNoGoroutineIsLeft: a closed world has no goroutines.
func TestNoGoroutineIsLeft(t *testing.T) {
	before := runtime.NumGoroutine()
	for seed := range uint64(5) {
		busyRun(t, seed, nil)
	}
	for range 100 { // ended goroutines are still counted for a while
		if runtime.NumGoroutine() <= before {
			return
		}
		runtime.Gosched()
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%d goroutines before, %d after", before, runtime.NumGoroutine())
}

// TestClocks: a clock that is set forward fires timers, a slow one delays them,
// and none can be set back.
func TestClocks(t *testing.T) {
	for _, test := range []struct {
		name  string
		fault history.Action
		wakes history.Millis // time until the end of a two-second sleep
	}{
		{"right", history.Action{}, 2 * history.Second},
		{"set forward", history.Action{Verb: history.Jump, By: history.Second}, history.Second},
		{"far forward", history.Action{Verb: history.Jump, By: 10 * history.Second}, 0},
		{"slow", history.Action{Verb: history.Rate, By: 250}, 8 * history.Second},
		{"fast", history.Action{Verb: history.Rate, By: 4000}, history.Second / 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := sleeper(t)
			defer w.Close()
			if test.fault.Verb != "" {
				test.fault.Client = "A"
				testkit.OK(t, w.Perform(test.fault))
			}
			v := w.Strands("A")[1]
			if !v.Waits || v.Until > max(test.wakes, 0) && v.Until != test.wakes {
				t.Errorf("wakes at %v, not at %v: %+v", v.Until, test.wakes, v)
			}
		})
	}
	w := sleeper(t)
	defer w.Close()
	if err := w.Perform(history.Action{Verb: history.Jump, Client: "A", By: -history.Second}); !errors.Is(err, world.ErrNotEnabled) {
		t.Errorf("a clock was set back: %v", err)
	}
}

// TestClocksAreReadUnseen: reads of a clock in a bubble are invisible, so a
// proof with failing clocks must not be VACUOUS.
func TestClocksAreReadUnseen(t *testing.T) {
	s := testkit.Must(scenarios.SubjectOf("setnx"))(t)
	h, _ := explore.FindHazard("client-clock")
	for _, test := range []struct {
		start func(history.Config, program.Subject, string) program.Code
		want  explore.Verdict
	}{{nil, explore.Vacuous}, {bubble.Start, explore.Holds}} {
		s.Start = test.start
		r := testkit.Must(explored(t.Context(), h, explore.Lock{ID: "setnx", Subject: s}, explore.Options{}, "A", "B"))(t)
		if got, why := r.Verdict(); got != test.want {
			t.Errorf("%v, %v", got, why)
		}
	}
}

// sleeper returns a world whose client A sleeps for two seconds.
func sleeper(t *testing.T) *world.World {
	t.Helper()
	c := history.Default()
	c.Strategy, c.Clients, c.Work = "set-lua", []string{"A"}, 2*history.Second
	s := testkit.Must(scenarios.SubjectOf("set-lua"))(t)
	s.Start = bubble.Start
	w := testkit.Must(world.New(c, s))(t)
	for range 4 { // SET, enter, read
		testkit.OK(t, w.Perform(history.Action{Verb: history.Step, Client: "A"}))
	}
	return w
}

// TestRandomNumbers: a lock that draws from crypto/rand, math/rand or math/rand/v2
// is a function of its observations, and one with other draws is detected.
func TestRandomNumbers(t *testing.T) {
	bubble.Seed()
	lock := func(draw func() string) program.Subject {
		return program.Subject{Nodes: 1, Start: bubble.Start, New: func(env strategies.Env) strategies.Lock {
			return &busyDraw{env.Redis, env.Key, draw}
		}}
	}
	h, _ := explore.FindHazard("contention")
	for name, draw := range map[string]func() string{
		"crypto/rand":  rand.Text,
		"math/rand":    func() string { return fmt.Sprint(oldrand.Uint64()) },
		"math/rand/v2": func() string { return fmt.Sprint(mathrand.Uint64()) },
	} {
		if _, err := explored(t.Context(), h, explore.Lock{ID: "draws", Subject: lock(draw)}, explore.Options{}, "A", "B"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := explored(t.Context(), h, explore.Lock{ID: "draws", Subject: lock(func() string { return fmt.Sprint(unrepeatable()) })}, explore.Options{}, "A", "B")
	if !errors.Is(err, program.ErrNondeterministic) {
		t.Errorf("hash/maphash: %v", err)
	}
}

// unrepeatable draws what no run can draw again.
func unrepeatable() uint64 { return new(maphash.Hash).Sum64() }

type busyDraw struct {
	redis *redis.Client
	key   string
	draw  func() string
}

func (l *busyDraw) Lock(ctx context.Context) (strategies.Grant, error) {
	ok, err := l.redis.SetNX(ctx, l.key, l.draw(), time.Second).Result()
	if err == nil && !ok {
		err = strategies.ErrNotAcquired
	}
	return strategies.Grant{}, err
}

func (l *busyDraw) Unlock(ctx context.Context, _ strategies.Grant) error {
	return l.redis.Del(ctx, l.key).Err()
}

// TestMutexOutside: code that waits for a mutex that a goroutine outside of its bubble holds for a
// while goes on, as at one of a library's own.
func TestMutexOutside(t *testing.T) {
	c := history.Default()
	c.Strategy, c.Clients = "mine", []string{"A"}
	var held sync.Mutex
	held.Lock()
	w := testkit.Must(world.New(c, program.Subject{Nodes: 1, Start: bubble.Start, New: func(env strategies.Env) strategies.Lock {
		return &busyDraw{env.Redis, env.Key, func() string {
			held.Lock()
			defer held.Unlock()
			return "a"
		}}
	}}))(t)
	defer w.Close()
	time.AfterFunc(3*bubble.Suspicion, held.Unlock)
	testkit.OK(t, w.Perform(history.Action{Verb: history.Step, Client: "A"}))
}

// TestWhoPolls: events between a timer and the next command appear, as on a
// coroutine: each attempt to acquire begins with one.
func TestWhoPolls(t *testing.T) {
	events := func(start func(history.Config, program.Subject, string) program.Code) (list []string) {
		c := history.Default()
		c.Strategy, c.Wait, c.Poll = "set-lua", 300*history.Millisecond, 100*history.Millisecond
		s := testkit.Must(scenarios.SubjectOf("set-lua"))(t)
		s.Start = start
		w := testkit.Must(world.New(c, s))(t)
		defer w.Close()
		play := func(a history.Action) {
			if err := w.Perform(a); err != nil && !errors.Is(err, world.ErrNotEnabled) {
				t.Fatal(err)
			}
		}
		for range 2 {
			play(history.Action{Verb: history.Step, Client: "A"})
		}
		for range 12 {
			for _, strand := range []int{0, 1} {
				play(history.Action{Verb: history.Step, Client: "B", Strand: strand})
			}
			play(history.Action{Verb: history.Advance, By: 100 * history.Millisecond})
		}
		for _, e := range w.History().Events {
			if e.Client == "B" && (e.Kind == history.Invoke || e.Kind == history.Return || e.Kind == history.Apply) {
				list = append(list, fmt.Sprint(e.Kind, e.Op, e.Outcome))
			}
		}
		return list
	}
	want, got := events(nil), events(bubble.Start)
	if len(want) < 9 || !slices.Equal(got, want) {
		t.Errorf("in a bubble\n%q\non a coroutine\n%q", got, want)
	}
}

// A tokenLock draws a token that cannot be repeated; steals decides what it
// does with another's token.
type tokenLock struct {
	redis  *redis.Client
	key    string
	token  string
	draw   func() string
	steals func(own, other string) bool
}

func (l *tokenLock) Lock(ctx context.Context) (strategies.Grant, error) {
	l.token = l.draw()
	for {
		ok, err := l.redis.SetNX(ctx, l.key, l.token, 5*time.Second).Result()
		switch {
		case err != nil:
			return strategies.Grant{}, err
		case ok:
			return strategies.Grant{Token: l.token}, nil
		}
		other, err := l.redis.Get(ctx, l.key).Result()
		if err != nil || !l.steals(l.token, other) {
			return strategies.Grant{}, strategies.ErrNotAcquired
		}
		if err := l.redis.Del(ctx, l.key).Err(); err != nil {
			return strategies.Grant{}, err
		}
	}
}

func (l *tokenLock) Unlock(ctx context.Context, _ strategies.Grant) error {
	other, err := l.redis.Get(ctx, l.key).Result()
	if err != nil || other != l.token {
		return strategies.ErrLost
	}
	return l.redis.Del(ctx, l.key).Err()
}

// TestNames: a token that cannot be repeated gets a name, and a lock that uses
// it as more draws what it does, or does too many things.
func TestNames(t *testing.T) {
	bubble.Seed()
	lock := func(draw func() string, steals func(own, other string) bool) program.Subject {
		return program.Subject{Nodes: 1, Start: bubble.Start, Draws: true, New: func(env strategies.Env) strategies.Lock {
			return &tokenLock{redis: env.Redis, key: env.Key, draw: draw, steals: steals}
		}}
	}
	never := func(string, string) bool { return false }
	hexed := func() string { return fmt.Sprintf("%s:%016x", "node", unrepeatable()) }
	explored := func(hazard string, s program.Subject) (explore.Report, error) {
		h, _ := explore.FindHazard(hazard)
		return explored(t.Context(), h, explore.Lock{ID: "tokens", Subject: s}, explore.Options{}, "A", "B")
	}
	for _, hazard := range testkit.Some(t, []string{"contention", "lost-reply"}, 2, 1) {
		want := testkit.Must(explored(hazard, lock(rand.Text, never)))(t)
		for name, draw := range map[string]func() string{"hexadecimal": hexed, "decimal": func() string { return fmt.Sprint(unrepeatable() >> 1) }} {
			got, err := explored(hazard, lock(draw, never))
			if err != nil || got.States != want.States || len(got.Found) != len(want.Found) || len(want.Found) == 0 != (hazard == "contention") {
				t.Errorf("%s under %s: %v, %d states, %d found; with random numbers of its own %d, %d", name, hazard, err, got.States, len(got.Found), want.States, len(want.Found))
			}
		}
	}
	for name, steals := range map[string]func(own, other string) bool{
		"order":  func(own, other string) bool { return own < other },
		"parity": func(own, _ string) bool { return own[len(own)-1]%2 == 0 },
		"length": func(own, _ string) bool { return len(strings.TrimLeft(own, "node:0")) < 16 },
	} {
		var r explore.Report
		var err error
		for range 100 { // each try draws anew, and the draws may look alike
			if r, err = explored("contention", lock(hexed, steals)); err != nil || r.Drawing > 0 {
				break
			}
		}
		if (err == nil || !strings.Contains(err.Error(), "not deterministic")) && r.Drawing == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// explored explores a lock under a hazard.
func explored(ctx context.Context, h explore.Hazard, l explore.Lock, o explore.Options, clients ...string) (explore.Report, error) {
	r, err := explore.Explore(ctx, h.Config(l, clients...), l.Subject, h.Bounds, o)
	r.Hazard = h.ID
	return r, err
}
