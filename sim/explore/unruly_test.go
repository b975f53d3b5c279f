package explore

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"lockstep/internal/testkit"
	"lockstep/sim/program"
	"lockstep/strategies"
)

// An unrulyLock is a lock of random operations, some of which are such that no search can
// go by them: what it does depends on its name, or on what it did in other runs.
type unrulyLock struct {
	strategies.Env
	ops  string
	seen *atomic.Int64 // what it has done in all runs
	stop func(seen int64)
}

// Of the operations of an unrulyLock, those that only a name decides, and those that depend on
// other runs.
const (
	byName      = "Svn"
	byOtherRuns = "fFockp"
)

func (p unrulyLock) Lock(ctx context.Context) (strategies.Grant, error) {
	got := false
	before := p.seen.Add(1)
	p.stop(before)
	get := func(key string) { _ = p.Redis.Get(ctx, key).Err() }
	for _, op := range p.ops {
		switch op {
		case 's':
			got = p.Redis.SetNX(ctx, p.Key, p.Token(), p.TTL).Val() || got
		case 'g':
			get(p.Key)
		case 'd':
			_ = p.Redis.Del(ctx, p.Key).Err()
		case 'r':
			_ = p.Redis.ZRank(ctx, "queue", p.Name).Err()
		case 'z':
			_ = p.Clock.Sleep(ctx, time.Second)
		case 'b':
			p.Go("background", func() { get("background") })
		case 'w':
			channel := p.Redis.Subscribe(ctx, "channel")
			_, _ = channel.ReceiveMessage(ctx)
			_ = channel.Close()
		case 'S':
			got = p.Redis.SetNX(ctx, p.Key, p.Name, p.TTL).Val() || got
		case 'v': // enters if its name comes later
			if v, err := p.Redis.Get(ctx, p.Key).Result(); !errors.Is(err, redis.Nil) && v < p.Name {
				return strategies.Grant{}, nil
			}
		case 'n':
			if p.Name == "A" {
				get("name")
			}
		case 'f', 'F': // a task in the first runs only
			if before <= map[rune]int64{'f': 3, 'F': 9}[op] {
				p.Go("first", func() {
					_ = p.Clock.Sleep(ctx, 2*time.Second)
					get("first")
				})
			}
		case 'o':
			if before%5 == 0 {
				p.Go("sometimes", func() { get("sometimes") })
			}
		case 'c':
			if p.seen.Add(1) > 40 {
				get("counted")
			}
		case 'k':
			got = p.Redis.SetNX(ctx, p.Key, p.seen.Add(1), p.TTL).Val() || got
		case 'p': // spins, and counts how often in all
			for p.Redis.Get(ctx, p.Key).Err() == nil && p.seen.Add(1)%3000 > 0 {
			}
		}
	}
	if !got {
		return strategies.Grant{}, strategies.ErrNotAcquired
	}
	return strategies.Grant{}, nil
}

func (p unrulyLock) Unlock(ctx context.Context, _ strategies.Grant) error {
	_ = p.Redis.Publish(ctx, "channel", "free").Err()
	return p.Redis.Del(ctx, p.Key).Err()
}

// unruly returns a lock that has not run, and calls stop at each attempt.
func unruly(ops string, stop func(seen int64)) Lock {
	seen := &atomic.Int64{}
	return Lock{"unruly", program.Subject{Nodes: 1, New: func(e strategies.Env) strategies.Lock { return unrulyLock{e, ops, seen, stop} }}}
}

// soon ends the process with the stacks of all goroutines if a test hangs.
func soon(t *testing.T, doing string) {
	t.Helper()
	timer := time.AfterFunc(5*time.Minute, func() { panic(doing + " hangs") })
	t.Cleanup(func() { timer.Stop() })
}

// TestUnruly: whatever code does, a search has an answer: a verdict, or in what two runs
// of the code differ. Code that goes by its name alone has a verdict, and that is the one
// without taking any clients for each other. So it is if the search is interrupted at any time.
func TestUnruly(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(4, 7))
	answers := map[string]int{}
	fixed := []string{"s 2", "Svp 3", "vSFp 2", "Fz 3", "fz 2", "ofS 3", "rvS 3"} // one that holds; what hung or panicked once; and clients
	for i := range testkit.Size(t, 60, 60) {
		var drawn strings.Builder
		for range 1 + rng.IntN(4) {
			drawn.WriteByte("sssgdrzbbwSSvvvnzfFockp"[rng.IntN(23)])
		}
		ops, clients, h := drawn.String(), 2+rng.IntN(2), Hazards()[rng.IntN(len(Hazards()))]
		if i < len(fixed) {
			ops, clients = fixed[i][:len(fixed[i])-2], int(fixed[i][len(fixed[i])-1]-'0')
			h = Hazards()[0]
		}
		ctx, end := context.WithCancel(t.Context())
		last := int64(1 << 40)
		if rng.IntN(3) == 0 {
			last = rng.Int64N(400)
		}
		l := unruly(ops, func(seen int64) {
			if seen > last {
				end()
			}
		})
		h.Bounds.States, h.Bounds.Depth = 1000, 60
		c := h.Config(l, []string{"A", "B", "C"}[:clients]...)
		c.Rounds, c.Stock = 1+rng.IntN(2), 2
		t.Run(ops+" "+h.ID, func(t *testing.T) {
			soon(t, ops)
			r, err := Explore(ctx, c, l.Subject, h.Bounds, Options{})
			r.Hazard = h.ID
			v, _ := r.Verdict()
			switch others := strings.ContainsAny(ops, byOtherRuns); {
			case err != nil && !(others && errors.Is(err, program.ErrNondeterministic)):
				t.Error(err)
			case err != nil:
				answers["differs"]++
			case ctx.Err() != nil:
				answers["interrupted"]++
			case !others && r.Limit == "":
				exact := h.Bounds
				exact.Exact = true
				want, err := Explore(ctx, c, l.Subject, exact, Options{})
				if want.Hazard = h.ID; err != nil || want.Limit == "" && !r.sameFindings(&want) {
					t.Errorf("%s; exact %s %v", costs(r), costs(want), err)
				}
				fallthrough
			default:
				answers[string(v)+" "+r.Limit]++
			}
		})
		end()
	}
	t.Log(answers)
	for _, some := range []string{"differs", "interrupted", "VIOLATED ", "HOLDS "} {
		if answers[some] == 0 {
			t.Errorf("the locks are all alike: %v", answers)
		}
	}
}
