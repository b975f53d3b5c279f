package scenarios

import (
	"context"
	"errors"
	"maps"
	"os/exec"
	"slices"
	"strings"
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

// playLive plays stories on Redis servers that they start and compares them with the
// world, event by event.
func playLive(t *testing.T, stories []*Story) {
	if _, err := exec.LookPath("redis-server"); err != nil {
		t.Skip(live.ErrNoRedisServer)
	}
	for _, s := range stories {
		t.Run(s.Name, func(t *testing.T) {
			r, err := RunLive(t.Context(), s, s.Strategy(), live.Start)
			compare(t, r, err)
		})
	}
}

func compare(t *testing.T, r *LiveResult, err error) {
	var not *live.RefusedError
	switch {
	case errors.As(err, &not):
		t.Skip(err)
	case err != nil:
		t.Fatal(err)
	case !r.Difference.None():
		t.Fatal(r.Difference)
	}
	judged(t, r.Result)
	commands, replies := r.Commands()
	t.Logf("the same: %d commands, %d replies", commands, replies)
}

// TestReplaysOnARealServer: the replays of a run on a server are on the server too.
func TestReplaysOnARealServer(t *testing.T) {
	config := testkit.Must(history.ParseConfig("strategy=setnx clients=A"))(t)
	onServer := errors.New("on the server")
	open := func(history.Config, program.Subject) (*world.World, error) { return nil, onServer }
	for recovers, want := range map[bool]error{true: onServer, false: nil} {
		on := (&stage{ctx: t.Context(), open: open, recover: recovers}).other()
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
	stories := allStories(t)
	playLive(t, testkit.Some(t, stories, 6, 4))
}

// TestNodeFaultsOnARealServer: restarts with and without data, a server that is away
// for a time, and a lagging replica that takes over.
func TestNodeFaultsOnARealServer(t *testing.T) {
	t.Parallel()
	const pair = "world strategy=set-lua clients=A,B ttl=5s stock=2"
	var stories []*Story
	all := map[string][]string{
		"restart":            {pair, "run A until=after:read", "restart r1", "run B", "run A", "check"},
		"wipe":               {pair, "run A until=after:read", "wipe r1", "run B", "run A", "check"},
		"scripts":            {pair, "run B", "restart r1", "run A", "check"},
		"down":               {pair, "run A until=after:read", "down r1", "advance 6s", "run B", "up r1", "run A", "check"},
		"slow_and_cut":       {pair, "slow r1", "run A", "fast r1", "late A", "cut B r1", "run B", "check"},
		"failover":           {pair + " lag=1", "run A until=after:read", "promote r1 missing=1", "run B until=after:read", "run A", "run B", "check"},
		"failover_with_data": {pair + " lag=1 rounds=2", "run A until=released", "run A until=before:read", "promote r1 missing=1", "run B", "check"},
		"failover_twice":     {pair + " lag=1", "run A until=after:read", "promote r1 missing=1", "run B until=after:read", "restart r1", "promote r1 missing=1", "run A", "run B", "check"},
		"a_lock_comes_back":  {pair + " lag=2", "run A until=released", "promote r1 missing=1", "run B", "keys", "advance expiry", "check"},
		"watched": {
			"world strategy=watch-del clients=A,B ttl=3s stock=2", "run A until=after:WATCH", "restart r1", "run A", "run B", "check",
		},
		"two_of_three": {
			"world strategy=redlock clients=A,B ttl=5s nodes=3", "run A until=after:read", "wipe r1", "wipe r2", "run B", "run A", "check",
			"replay strategy=redlock-naive",
		},
	}
	for _, name := range testkit.Some(t, slices.Sorted(maps.Keys(all)), 6, 4) {
		s := testkit.Must(Parse("test", name, strings.Join(all[name], "\n----\n\n")+"\n----\n"))(t)
		stories = append(stories, s)
	}
	playLive(t, stories)
}

// TestTheLastMillisecond: a key is there at its last moment and gone a millisecond
// later, on a real server too.
func TestTheLastMillisecond(t *testing.T) {
	t.Parallel()
	var stories []*Story
	for by, ends := range map[string]bool{"4999ms": false, "5s": false, "5001ms": true} {
		s := testkit.Must(Parse("test", "after_"+by, "world strategy=set-lua clients=A,B ttl=5s\n----\n\nrun A until=in-critical\n----\n\nadvance "+by+"\n----\n\nrun B until=in-critical\n----\n"))(t)
		r := testkit.Must(Run(t.Context(), s))(t)
		if _, both := r.Violation(history.MutualExclusion); both != ends {
			t.Errorf("after %s both are inside: %v", by, both)
		}
		stories = append(stories, s)
	}
	playLive(t, stories)
}

// TestNotLive: what a real server cannot do is refused with its reason, and what was put
// there is deleted.
func TestNotLive(t *testing.T) {
	own, err := live.Start(t.Context())
	if errors.Is(err, live.ErrNoRedisServer) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer own.Stop()
	target := testkit.Must(live.Parse(own.URL()))(t)
	foreign := func(ctx context.Context) (*live.Server, error) { return live.Open(ctx, target) }
	for lines, want := range map[string]string{
		"world strategy=set-lua clients=A,B ttl=5s;run A until=in-critical;clock r1 +1s": "cannot be turned",
		"world strategy=set-lua clients=A,B ttl=5s;run A until=in-critical;restart r1":   "is not a server of Lockstep's own",
		"world strategy=set-lua clients=A,B ttl=5s;run A until=in-critical;flush":        "would forget the scripts of others too",
		"world strategy=set-lua clients=A,B ttl=5s lag=1;run A":                          "was not started by Lockstep",
		"world strategy=list-semaphore clients=A,B;run A":                                "the keys of BLPOP are not known",
	} {
		s := parsed(t, strings.ReplaceAll(lines, ";", "\n----\n\n")+"\n----\n")
		var not *live.RefusedError
		_, err = RunLive(t.Context(), s, s.Strategy(), foreign)
		if !errors.As(err, &not) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", lines, err, want)
		}
		empty, err := foreign(t.Context())
		if err != nil {
			t.Fatalf("%s: %v", lines, err)
		}
		if err := empty.Close(); err != nil {
			t.Error(err)
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
	story := testkit.Must(Parse("foreign.txt", "foreign", text.String()))(t)
	playLive(t, []*Story{story})
}
