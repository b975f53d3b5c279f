package scenarios

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"lockstep/internal/testkit"
	"lockstep/sim/bubble"
	"lockstep/sim/history"
	"lockstep/sim/live"
	"lockstep/sim/program"
	"lockstep/sim/world"
	"lockstep/strategies"
)

// atOnce is how many stories run at a time: most of their time is waiting for a lease
// to end.
const atOnce = 6

// playLive plays stories on a Redis server that the test starts and compares them
// with the world, event by event. Every other story is played as if the server were
// somebody else's, if possible.
func playLive(t *testing.T, stories []*Story) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	server, err := live.Start(ctx, live.Fleeting)
	if errors.Is(err, live.ErrNoRedisServer) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer server.Stop()
	target, err := live.Parse(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	foreign, err := live.Open(ctx, target) // the same, as if it were somebody else's
	if err != nil {
		t.Fatal(err)
	}
	type outcome struct {
		*LiveResult
		err error
	}
	var scripts sync.RWMutex
	outcomes, places := make([]chan outcome, len(stories)), make(chan bool, atOnce)
	for i, s := range stories {
		outcomes[i] = make(chan outcome, 1)
		go func() {
			places <- true
			if flushes := slices.ContainsFunc(s.lines, func(line string) bool { return strings.HasPrefix(line, "flush") }); flushes {
				scripts.Lock() // the server forgets the scripts of other stories too
				defer scripts.Unlock()
			} else {
				scripts.RLock()
				defer scripts.RUnlock()
			}
			r, err := RunLive(ctx, s, s.Strategy(), []*live.Server{[]*live.Server{server, foreign}[i%2]})
			if not := (*NotLiveError)(nil); i%2 == 1 && errors.As(err, &not) {
				r, err = RunLive(ctx, s, s.Strategy(), []*live.Server{server})
			}
			outcomes[i] <- outcome{r, err}
			<-places
		}()
	}
	for i, s := range stories {
		r := <-outcomes[i]
		t.Run(s.Name, func(t *testing.T) { compare(t, r.LiveResult, r.err) })
	}
}

func compare(t *testing.T, r *LiveResult, err error) {
	var not *NotLiveError
	switch {
	case errors.As(err, &not):
		t.Skip(err)
	case err != nil:
		t.Fatal(err)
	case r.TooBusy():
		t.Skipf("this machine is too busy: real time was %v ahead in run %d", r.Drift, r.Runs)
	case !r.Difference.None():
		t.Fatalf("lease %v, drift %v: %s", r.Lease, r.Drift, r.Difference)
	}
	judged(t, r.Result)
	commands, replies := r.Commands()
	t.Logf("the same: %d commands, %d replies, lease %v, drift %v, run %d", commands, replies, r.Lease, r.Drift, r.Runs)
}

// TestReplaysOnARealServer: the replays of a run on a server are on the server too.
func TestReplaysOnARealServer(t *testing.T) {
	config, err := history.ParseConfig("strategy=setnx clients=A")
	if err != nil {
		t.Fatal(err)
	}
	onServer := errors.New("on the server")
	open := func(history.Config, program.Subject) (*world.World, error) { return nil, onServer }
	for recovers, want := range map[bool]error{true: onServer, false: nil} {
		on := (&stage{ctx: t.Context(), open: open, recover: recovers}).other(0)
		r, err := newRunner(on, config)
		if !errors.Is(err, want) {
			t.Errorf("a run that is compared: %v; its replay: %v", recovers, err)
		}
		if err == nil {
			r.w.Close()
		}
	}
}

func TestStoriesOnARealServer(t *testing.T) {
	t.Parallel()
	stories, err := Stories()
	if err != nil {
		t.Fatal(err)
	}
	playLive(t, testkit.Some(t, stories, 8, 4))
}

// TestNodeFaultsOnARealServer: restarts with and without data, a server that is away
// for a time, and a lagging replica that takes over.
func TestNodeFaultsOnARealServer(t *testing.T) {
	t.Parallel()
	const pair = "world strategy=set-lua clients=A,B ttl=5s stock=2"
	var stories []*Story
	for name, lines := range map[string][]string{
		"restart":            {pair, "run A until=after:read", "restart r1", "run B", "run A", "check"},
		"wipe":               {pair, "run A until=after:read", "wipe r1", "run B", "run A", "check"},
		"scripts":            {pair, "run B", "restart r1", "run A", "check"},
		"down":               {pair, "run A until=after:read", "down r1", "advance 6s", "run B", "up r1", "run A", "check"},
		"slow_and_cut":       {pair, "slow r1", "run A", "fast r1", "late A", "cut B r1", "run B", "check"},
		"failover":           {pair + " lag=1", "run A until=after:read", "promote r1 missing=1", "run B until=after:read", "run A", "run B", "check"},
		"failover_with_data": {pair + " lag=1 rounds=2", "run A until=released", "run A until=before:read", "promote r1 missing=1", "run B", "check"},
		"a_lock_comes_back":  {pair + " lag=2", "run A until=released", "promote r1 missing=1", "run B", "keys", "advance expiry", "check"},
		"watched": {
			"world strategy=watch-del clients=A,B ttl=3s stock=2", "run A until=after:WATCH", "restart r1", "run A", "run B", "check",
		},
		"two_of_three": {
			"world strategy=redlock clients=A,B ttl=5s nodes=3", "run A until=after:read", "wipe r1", "wipe r2", "run B", "run A", "check",
			"replay strategy=redlock-naive",
		},
	} {
		s, err := Parse("test", name, strings.Join(lines, "\n----\n\n")+"\n----\n")
		if err != nil {
			t.Fatal(err)
		}
		stories = append(stories, s)
	}
	playLive(t, stories)
}

// TestNotLive: what a real server cannot do is refused with its reason.
func TestNotLive(t *testing.T) {
	for lines, want := range map[string]string{
		"world strategy=set-lua clients=A,B ttl=5s;clock r1 +1s":                                        "cannot be turned",
		"world strategy=set-lua clients=A,B ttl=5s;clock r1 rate=2":                                     "cannot be turned",
		"world strategy=set-lua clients=A,B ttl=5s;restart r1":                                          "is not Lockstep's own",
		"world strategy=set-lua clients=A,B ttl=5s lag=1;run A":                                         "is not Lockstep's own",
		"world strategy=set-lua clients=A,B ttl=5s;run A until=in-critical;advance 5s;run B":            "0s before the end of a TTL",
		"world strategy=redlock-naive clients=A,B ttl=60s;run A until=in-critical;advance expiry;run B": "it would take",
	} {
		s, err := Parse("test", "a_test", strings.ReplaceAll(lines, ";", "\n----\n\n")+"\n----\n")
		if err != nil {
			t.Fatal(err)
		}
		var not *NotLiveError
		_, err = RunLive(t.Context(), s, s.Strategy(), []*live.Server{{}})
		if !errors.As(err, &not) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", lines, err, want)
		}
	}
}

// A renewing lock starts a goroutine that renews its lease forever.
type renewing struct {
	redis *redis.Client
	key   string
	ttl   time.Duration
}

func (l renewing) Lock(ctx context.Context) (strategies.Grant, error) {
	ok, err := l.redis.SetNX(ctx, l.key, "mine", l.ttl).Result()
	if err == nil && !ok {
		err = strategies.ErrNotAcquired
	}
	if err != nil {
		return strategies.Grant{}, err
	}
	go func() {
		for ctx.Err() == nil {
			time.Sleep(l.ttl / 3)
			_ = l.redis.PExpire(ctx, l.key, l.ttl).Err()
		}
	}()
	return strategies.Grant{}, nil
}

func (l renewing) Unlock(ctx context.Context, _ strategies.Grant) error {
	return l.redis.Del(ctx, l.key).Err()
}

// TestForeignOnARealServer: a lock in a bubble runs on a real server as in the world,
// even if its recovery takes longer than a lease.
func TestForeignOnARealServer(t *testing.T) {
	t.Parallel()
	Register("renewing", program.Subject{Nodes: 1, Start: bubble.Start, New: func(env strategies.Env) strategies.Lock {
		return renewing{env.Redis, env.Key, env.TTL}
	}})
	var text strings.Builder
	for _, command := range []string{"world strategy=renewing clients=A,B", "run A until=in-critical", "hang A", "check"} {
		text.WriteString(command + "\n----\n\n")
	}
	story, err := Parse("foreign.txt", "foreign", text.String())
	if err != nil {
		t.Fatal(err)
	}
	playLive(t, []*Story{story})
}
