package explore

import (
	"context"
	"fmt"
	"testing"

	"github.com/redis/go-redis/v9"
	"go.uber.org/goleak"

	"lockstep/internal/testkit"
	"lockstep/sim/bubble"
	"lockstep/sim/bubble/guest"
	"lockstep/sim/history"
	"lockstep/sim/program"
	"lockstep/strategies"
)

// A process is a lock that goroutines of one process take.
type process struct {
	strategies.Env
	mu     *guest.Mutex // beside the lock; nil for none
	parts  bool         // of which each has its own token
	token  string
	tokens *int
}

func (p *process) Lock(ctx context.Context) (strategies.Grant, error) {
	if p.mu != nil {
		p.mu.Lock()
	}
	*p.tokens++
	token := fmt.Sprint("token-", *p.tokens)
	got, err := p.Redis.SetNX(ctx, p.Key, token, p.TTL).Result()
	if err == nil && got {
		p.token = token
		return strategies.Grant{}, nil
	}
	if p.mu != nil {
		p.mu.Unlock()
	}
	return strategies.Grant{}, strategies.ErrNotAcquired
}

var deletes = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

func (p *process) Unlock(ctx context.Context, _ strategies.Grant) error {
	if p.mu != nil {
		defer p.mu.Unlock()
	}
	return deletes.Eval(ctx, p.Redis, []string{p.Key}, p.token).Err()
}

// Part is program.Shared's.
func (p *process) Part() strategies.Lock {
	if !p.parts {
		return p
	}
	*p.tokens++
	return &named{process: p, name: fmt.Sprint("token of part ", *p.tokens)}
}

// A named has a token of its own.
type named struct {
	*process
	name string
}

func (n *named) Lock(ctx context.Context) (strategies.Grant, error) {
	got, err := n.Redis.SetNX(ctx, n.Key, n.name, n.TTL).Result()
	if err == nil && got {
		return strategies.Grant{}, nil
	}
	return strategies.Grant{}, strategies.ErrNotAcquired
}

func (n *named) Unlock(ctx context.Context, _ strategies.Grant) error {
	return deletes.Eval(ctx, n.Redis, []string{n.Key}, n.name).Err()
}

// processes are such locks by name.
func processes() map[string]Lock {
	of := func(id string, mutex, parts bool) Lock {
		return Lock{id, program.Subject{
			Nodes: 1, Start: bubble.Start,
			World: func(c *history.Config) { c.Process = history.Shared },
			New: func(e strategies.Env) strategies.Lock {
				p := &process{Env: e, parts: parts, tokens: new(int)}
				if mutex {
					p.mu = &guest.Mutex{}
				}
				return p
			},
		}}
	}
	return map[string]Lock{"one token": of("one", false, false), "a mutex": of("mutex", true, false), "own tokens": of("own", false, true)}
}

// TestGoroutinesMerged: orders of goroutines that make no difference are merged, and only
// these.
func TestGoroutinesMerged(t *testing.T) {
	for name, l := range processes() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, id := range testkit.Some(t, []string{"crash", "hang", "lost-reply", "eviction"}, 1, 1) {
				h, _ := FindHazard(id)
				merged, exact, _ := mergedBesideExact(t, l, h, 20_000)
				if exact.report.Limit != "" {
					t.Fatalf("%s: ended by the limit on %s", id, exact.report.Limit)
				}
				if name == "own tokens" && (merged.report.Merging.Relearned || merged.states.len() >= exact.states.len()) {
					t.Errorf("%s: %d states instead of %d, learned again: %t", id, merged.states.len(), exact.states.len(), merged.report.Merging.Relearned)
				}
				t.Log(id, merged.states.len(), exact.states.len(), costs(merged.report))
			}
		})
	}
}

// TestGoroutinesEnd: who waits for a mutex whose holder is gone ends with the run.
func TestGoroutinesEnd(t *testing.T) {
	before := goleak.IgnoreCurrent()
	h, _ := FindHazard("crash")
	h.Bounds.States = 30
	l := processes()["a mutex"]
	if _, err := Explore(t.Context(), h.Config(l, "A", "B"), l.Subject, h.Bounds, Options{}); err != nil {
		t.Fatal(err)
	}
	goleak.VerifyNone(t, before)
}
