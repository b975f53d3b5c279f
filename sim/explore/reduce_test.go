package explore

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"lockstep/sim"
	"lockstep/strategies"
)

// broken writes which invariants are violated.
func broken(r Report) string {
	text := ""
	for _, f := range r.Found {
		text += " " + f.Violation.Invariant
	}
	return text
}

// TestSwitches: for every lock and hazard the verdict and the lengths are the
// same with and without symmetry, with and without the partial-order reduction,
// and with and without merging. Symmetry leaves fewer states, but not fewer than one for all
// orders of the clients; the reduction leaves no more, and sometimes fewer.
func TestSwitches(t *testing.T) {
	most, fewer, smaller := 250, 0, 0
	switch {
	case os.Getenv("LOCKSTEP_RUNS") != "":
		most = 50_000
	case raced:
		most = 70
	}
	for _, info := range strategies.Catalogue {
		for _, h := range Hazards {
			h.Bounds.States, h.Bounds.Depth = most, 100
			plain, symmetric, reduced, merged := switched(t, h, lockOf(t, info.ID))
			if plain.Limit != "" {
				continue
			}
			if lengths(plain) != lengths(merged) || merged.States > plain.States {
				t.Errorf("%s, %s: %d states%s; merged %d%s", info.ID, h.ID,
					plain.States, lengths(plain), merged.States, lengths(merged))
			}
			if merged.States < plain.States {
				smaller++
			}
			if lengths(plain) != lengths(symmetric) || plain.Depth != symmetric.Depth {
				t.Errorf("%s, %s: without symmetry%s, depth %d; with it%s, depth %d", info.ID, h.ID,
					lengths(plain), plain.Depth, lengths(symmetric), symmetric.Depth)
			}
			if !symmetric.Symmetry || symmetric.States >= plain.States || 2*symmetric.States < plain.States {
				t.Errorf("%s, %s: %d states with symmetry, %d without", info.ID, h.ID, symmetric.States, plain.States)
			}
			if lengths(plain) != lengths(reduced) || reduced.Reduced != (len(reduced.Found) == 0) {
				t.Errorf("%s, %s: without reduction%s; with it%s", info.ID, h.ID, lengths(plain), lengths(reduced))
			}
			if reduced.States > plain.States {
				t.Errorf("%s, %s: %d states with the reduction, %d without", info.ID, h.ID, reduced.States, plain.States)
			} else if reduced.States < plain.States {
				fewer++
			}
		}
	}
	if !raced && (fewer == 0 || smaller == 0) {
		t.Errorf("the reduction left something out %d times, merging %d times", fewer, smaller)
	}
}

// switched explores with neither, with symmetry, with the reduction and with
// merged tries.
func switched(t *testing.T, h Hazard, lock Lock) (plain, symmetric, reduced, merged Report) {
	p := newParts(h.Config(lock, "A", "B"), lock.Subject)
	defer p.close()
	reports := make([]Report, 4)
	for i, o := range []Options{{}, {Symmetry: true, Jobs: 2}, {Reduce: true}, {Merge: true, Jobs: 2, pass: 100}} {
		r, err := explore(t.Context(), p, h.Bounds, o)
		if err != nil {
			t.Fatal(lock.ID, h.ID, err)
		}
		if reports[i] = r; reports[0].Limit != "" {
			break
		}
	}
	return reports[0], reports[1], reports[2], reports[3]
}

// A program is a lock that does what a random number says.
type program struct {
	strategies.Env
	ops string
}

func (p program) Lock(ctx context.Context) (strategies.Grant, error) {
	got := false
	for _, op := range p.ops {
		switch op {
		case 's':
			if p.Redis.Do(ctx, "SET", p.Key, p.Token(), "NX", "PX", p.TTL.Milliseconds()).Err() == nil {
				got = true
			}
		case 'g':
			_ = p.Redis.Get(ctx, p.Key).Err()
		case 'x': // refused, but free by now: believes that it may go in
			if err := p.Redis.Get(ctx, p.Key).Err(); !got && errors.Is(err, redis.Nil) {
				got = true
			}
		case 'd':
			_ = p.Redis.Del(ctx, p.Key).Err()
		case 'e':
			_ = p.Redis.PExpire(ctx, p.Key, p.TTL).Err()
		case 'n':
			p.Clock.Now()
		case 'z':
			_ = p.Clock.Sleep(ctx, time.Second)
		case 'b':
			p.Go("background", func() {
				_ = p.Clock.Sleep(ctx, 2*time.Second)
				p.Clock.Now()
				_ = p.Redis.Del(ctx, p.Key).Err()
			})
		}
	}
	if !got {
		return strategies.Grant{}, strategies.ErrNotAcquired
	}
	return strategies.Grant{}, nil
}

func (p program) Unlock(ctx context.Context, _ strategies.Grant) error {
	return p.Redis.Del(ctx, p.Key).Err()
}

// TestRandomPrograms: whatever a lock does, the reduction loses no invariant
// that is violated, and a GET more does not either. Once in a while a run of it
// is compared with the oracle.
func TestRandomPrograms(t *testing.T) {
	runs := 40
	switch {
	case os.Getenv("LOCKSTEP_RUNS") != "":
		runs = 1000
	case raced:
		runs = 8
	}
	rng := rand.New(rand.NewPCG(1, 2))
	hazards := []Hazard{}
	for _, id := range []string{"contention", "crash", "overrun"} {
		h, _ := FindHazard(id)
		h.Bounds.States, h.Bounds.Depth, h.Bounds.Ticks = 2000, 60, 2
		hazards = append(hazards, h)
	}
	outcomes := map[string]int{}
	for i := range runs {
		var ops strings.Builder
		for range 1 + rng.IntN(4) {
			ops.WriteByte("sssxgdenzb"[rng.IntN(10)])
		}
		if i == 0 { // the order of two replies that change nothing matters here
			ops.Reset()
			ops.WriteString("sx")
		}
		at := rng.IntN(ops.Len() + 1)
		more := ops.String()[:at] + "g" + ops.String()[at:]
		h := hazards[i%len(hazards)]
		plain := explored(t, h, ops.String(), Options{})
		reduced := explored(t, h, ops.String(), Options{Reduce: true, Symmetry: true})
		redundant := explored(t, h, more, Options{})
		if plain.Limit != "" || redundant.Limit != "" {
			continue
		}
		outcomes[broken(plain)]++
		if lengths(plain) != lengths(reduced) {
			t.Errorf("%s under %s: without reduction%s; with it%s", &ops, h.ID, lengths(plain), lengths(reduced))
		}
		if broken(plain) != broken(redundant) {
			t.Errorf("%s under %s:%s; %s:%s", &ops, h.ID, broken(plain), more, broken(redundant))
		}
	}
	if !raced && len(outcomes) < 4 {
		t.Errorf("the programs are all alike: %v", outcomes)
	}
}

func explored(t *testing.T, h Hazard, ops string, o Options) Report {
	t.Helper()
	lock := Lock{"program", sim.Subject{Nodes: 1, New: func(e strategies.Env) strategies.Lock { return program{e, ops} }}}
	r, err := Check(t.Context(), h, lock, o, "A", "B")
	if err != nil {
		t.Fatal(fmt.Sprintf("%s under %s:", ops, h.ID), err)
	}
	return r
}
