package explore

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"lockstep/internal/testkit/simtest"
	"lockstep/sim/program"
	"lockstep/strategies"
)

// TestWhatGoesAroundTheSeamIsAnError: code that bypasses the seam is detected
// if that affects its next steps.
func TestWhatGoesAroundTheSeamIsAnError(t *testing.T) {
	mini := miniredis.RunT(t)
	elsewhere := func() *redis.Client { return redis.NewClient(&redis.Options{Addr: mini.Addr(), Protocol: 2}) }
	for name, lock := range map[string]func(context.Context, strategies.Env) error{
		"the real clock": func(ctx context.Context, e strategies.Env) error { return simtest.Take(ctx, e, time.Now().UnixNano()) },
		"randomness":     func(ctx context.Context, e strategies.Env) error { return simtest.Take(ctx, e, rand.Text()) },
		"the order of a map": func(ctx context.Context, e strategies.Env) error {
			for key := range map[string]int{"1": 1, "2": 2, "3": 3, "4": 4, "5": 5, "6": 6, "7": 7, "8": 8} {
				e.Redis.Get(ctx, e.Key+key)
			}
			return nil
		},
		"a server of its own": func(ctx context.Context, e strategies.Env) error {
			c := elsewhere()
			defer c.Close()
			e.Redis = c
			return simtest.Take(ctx, e, 1)
		},
	} {
		if _, err := contend(t, makes(lock)); !errors.Is(err, program.ErrNondeterministic) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestWhatCannotBeSeen: docs/internals/explorer.md says so too. If one of these fails,
// detection has improved.
func TestWhatCannotBeSeen(t *testing.T) {
	mini := miniredis.RunT(t)
	for name, lock := range map[string]func(context.Context, strategies.Env) error{
		"a clock that makes no difference": func(ctx context.Context, e strategies.Env) error {
			if time.Now().Year() < 2000 {
				return strategies.ErrNotAcquired
			}
			return simtest.Take(ctx, e, 1)
		},
		"a server that always says the same": func(ctx context.Context, e strategies.Env) error {
			c := redis.NewClient(&redis.Options{Addr: mini.Addr(), Protocol: 2})
			defer c.Close()
			if err := c.Set(ctx, "seen", 1, 0).Err(); err != nil {
				return err
			}
			return simtest.Take(ctx, e, 1)
		},
		"a goroutine that is waited for": func(ctx context.Context, e strategies.Env) error {
			err := make(chan error)
			go func() { err <- simtest.Take(ctx, e, 1) }()
			return <-err
		},
	} {
		if r, err := contend(t, makes(lock)); err != nil || r.Limit != "" || len(r.Found) > 0 {
			t.Errorf("%s: %v,%s", name, err, lengths(r))
		}
	}
}

// TestASecondConnectionIsSeen: a lock's own client that dials like the given
// one uses the seam too, and others see its keys.
func TestASecondConnectionIsSeen(t *testing.T) {
	second := makes(func(ctx context.Context, e strategies.Env) error {
		c := redis.NewClient(e.Redis.Options())
		defer c.Close()
		e.Redis = c
		return simtest.Take(ctx, e, 1)
	})
	r, err := contend(t, second)
	if v, why := r.Verdict(); err != nil || v != Holds || r.Counts.Refused == 0 || r.NodeRuns == 0 {
		t.Errorf("%s, %s, %v:%s", v, why, err, lengths(r))
	}
}

// goroutines are locks that use Redis from their own goroutine.
var goroutines = map[string]func(context.Context, strategies.Env) error{
	"beside": func(ctx context.Context, e strategies.Env) error {
		go e.Redis.Get(ctx, "other")
		return simtest.Take(ctx, e, 1)
	},
	"later": func(ctx context.Context, e strategies.Env) error {
		go func() {
			time.Sleep(100 * time.Microsecond)
			e.Redis.Get(ctx, "other")
		}()
		return simtest.Take(ctx, e, 1)
	},
}

// TestAGoroutineOfItsOwn: it ends the process, since the lock might swallow an
// error. So the test runs it in another process.
func TestAGoroutineOfItsOwn(t *testing.T) {
	if which := os.Getenv("LOCKSTEP_GOROUTINE"); which != "" {
		for range 100 { // a late goroutine may find its run over
			if _, err := contend(t, makes(goroutines[which])); err != nil {
				t.Fatal(err)
			}
		}
		t.Fatal("it was not noticed")
	}
	for which := range goroutines {
		for _, procs := range []string{"1", "2"} {
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestAGoroutineOfItsOwn$")
			cmd.Env = append(slices.Clone(os.Environ()), "LOCKSTEP_GOROUTINE="+which, "GOMAXPROCS="+procs)
			out, err := cmd.CombinedOutput()
			// It may also be taken for its strand, which then differs between
			// runs.
			if err == nil || !strings.Contains(string(out), "from a goroutine that the world did not start") && !strings.Contains(string(out), program.ErrNondeterministic.Error()) {
				t.Errorf("%s, %s processors: %v\n%s", which, procs, err, out)
			}
		}
	}
}
