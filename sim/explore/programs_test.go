package explore

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"lockstep/internal/testkit"
	"lockstep/sim"
	"lockstep/sim/program"
	"lockstep/strategies"
)

// A randomLock is a lock of random operations.
type randomLock struct {
	strategies.Env
	ops string
}

func (p randomLock) Lock(ctx context.Context) (strategies.Grant, error) {
	got := false
	began := sim.Epoch()
	for _, op := range p.ops {
		switch op {
		case 's':
			if p.Redis.Do(ctx, "SET", p.Key, p.Token(), "NX", "PX", p.TTL.Milliseconds()).Err() == nil {
				got = true
			}
		case 'g':
			_ = p.Redis.Get(ctx, p.Key).Err()
		case 'x': // refused, but free now: enters
			if err := p.Redis.Get(ctx, p.Key).Err(); !got && errors.Is(err, redis.Nil) {
				got = true
			}
		case 'd':
			_ = p.Redis.Del(ctx, p.Key).Err()
		case 'e':
			_ = p.Redis.PExpire(ctx, p.Key, p.TTL).Err()
		case 'n':
			began = p.Clock.Now()
		case 'l': // assumes that the lease has ended, and deletes it
			if p.Clock.Now().Sub(began) >= time.Second {
				_ = p.Redis.Del(ctx, p.Key).Err()
			}
		case 't': // a client that is late enough enters without asking
			got = p.Clock.Now().Sub(began) >= p.TTL || got
		case 'z':
			_ = p.Clock.Sleep(ctx, time.Second)
		case 'b':
			p.Go("background", func() {
				_ = p.Clock.Sleep(ctx, 2*time.Second)
				if p.Clock.Now().After(began) {
					_ = p.Redis.Del(ctx, p.Key).Err()
				}
			})
		}
	}
	if !got {
		return strategies.Grant{}, strategies.ErrNotAcquired
	}
	return strategies.Grant{}, nil
}

func (p randomLock) Unlock(ctx context.Context, _ strategies.Grant) error {
	return p.Redis.Del(ctx, p.Key).Err()
}

func programOf(ops string) Lock {
	return Lock{"program", program.Subject{Nodes: 1, New: func(e strategies.Env) strategies.Lock { return randomLock{e, ops} }}}
}

// TestRandomPrograms: for any lock, with or without a clock, the explorer finds
// what the replay of real worlds finds, in the same states by as many
// transitions. An additional GET neither adds nor hides a violation, and
// neither does the reduction.
func TestRandomPrograms(t *testing.T) {
	t.Parallel()
	runs, whole, part := testkit.Size(t, 10, 3), 90, 50
	if raced {
		whole, part = 50, 30
	}
	rng := rand.New(rand.NewPCG(1, 2))
	hazards := matrixHazards(t, "contention", "client-clock", "overrun", "crash")
	for i := range hazards {
		hazards[i].Bounds.Ticks = 2
	}
	outcomes := map[string]int{}
	for i := range runs {
		ops := randomOps(rng)
		if i == 0 { // the order of two replies that change nothing matters here
			ops = "sx"
		}
		h := hazards[i%len(hazards)]
		outcomes[compareProgram(t, h, ops, rng.IntN(len(ops)+1))]++
		fast := againstBrute(t, programOf(ops), h, whole, part)
		t.Log(ops, h.ID, fast.States, "states")
	}
	if !raced && len(outcomes) < 4 {
		t.Errorf("the programs are all alike: %v", outcomes)
	}
}

// randomOps returns a program; every second one reads a clock and depends on
// it.
func randomOps(rng *rand.Rand) string {
	kinds := []string{"s", "s", "s", "x", "g", "d", "e", "nl", "nzl", "t", "z", "b", "l"}
	var ops strings.Builder
	for range 1 + rng.IntN(4) {
		ops.WriteString(kinds[rng.IntN(len(kinds))])
	}
	return ops.String()
}

// compareProgram explores a program with and without an additional GET at a
// place, and returns the violations.
func compareProgram(t *testing.T, h Hazard, ops string, at int) string {
	t.Helper()
	h.Bounds.States, h.Bounds.Depth = 2000, 60
	more := ops[:at] + "g" + ops[at:]
	plain, redundant := explored(t, h, ops), explored(t, h, more)
	if plain.Limit != "" || redundant.Limit != "" {
		return "limit"
	}
	if broken(plain) != broken(redundant) {
		t.Errorf("%s under %s:%s; %s:%s", ops, h.ID, broken(plain), more, broken(redundant))
	}
	return broken(plain)
}

// broken returns the violated invariants.
func broken(r Report) string {
	text := ""
	for _, f := range r.Found {
		text += " " + f.Violation.Invariant
	}
	return text
}

func explored(t *testing.T, h Hazard, ops string) Report {
	t.Helper()
	r, err := Check(t.Context(), h, programOf(ops), Options{}, "A", "B")
	if err != nil {
		t.Fatal(fmt.Sprintf("%s under %s:", ops, h.ID), err)
	}
	return r
}
