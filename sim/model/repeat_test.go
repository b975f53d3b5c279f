package model

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"lockstep/internal/testkit/simtest"
	"lockstep/sim/history"
	"lockstep/sim/program"
	"lockstep/strategies"
)

// mistake explores a lock until its code turns out to do something else when it is told the
// same, and returns the error.
func mistake(t *testing.T, lock func(context.Context, strategies.Env) error, clients ...string) error {
	t.Helper()
	timer := time.AfterFunc(20*time.Second, func() { panic("it hangs") })
	defer timer.Stop()
	c := history.Default()
	c.Strategy, c.Clients = "made", clients
	m := New(t.Context(), c, simtest.Made(lock), false)
	defer m.Close()
	var first []int32
	for who := range clients {
		first = append(first, m.Fresh(who))
	}
	seen := map[string]bool{}
	for list := [][]int32{append(first, m.FreshEnv())}; len(list) > 0 && len(seen) < maxReached; list = list[1:] {
		s := list[0]
		for who := range clients {
			steps, err := m.Steps(who, s[who], s[len(clients)], false)
			if err != nil {
				return err
			}
			for _, e := range steps {
				next := append([]int32(nil), s...)
				next[who], next[len(clients)] = e.Client, e.Env
				if key := fmt.Sprint(next); !seen[key] {
					seen[key] = true
					list = append(list, next)
				}
			}
		}
	}
	return m.Verify(t.Context())
}

// TestEndedBefore: a run that differs is told of, also if the next one, with which the place
// in the code is looked for, ends before it comes there.
func TestEndedBefore(t *testing.T) {
	var runs atomic.Int64
	err := mistake(t, func(ctx context.Context, e strategies.Env) error {
		run := runs.Add(1)
		if run > 2 {
			return strategies.ErrNotAcquired
		}
		for _, key := range []string{"a", "b", map[int64]string{1: "c", 2: "d"}[run]} {
			e.Redis.Get(ctx, key)
		}
		return simtest.Take(ctx, e, 1)
	}, "A")
	if !errors.Is(err, program.ErrNondeterministic) || !strings.Contains(err.Error(), "once   GET c\nagain  GET d") {
		t.Error(err)
	}
}

// TestLessThanBefore: code that starts a task, or sends a command, only in its first runs is
// not deterministic, however many these are.
func TestLessThanBefore(t *testing.T) {
	for name, first := range map[string]func(context.Context, strategies.Env){
		"a task":    func(ctx context.Context, e strategies.Env) { e.Go("task", func() { e.Clock.Now() }) },
		"a command": func(ctx context.Context, e strategies.Env) { e.Redis.Get(ctx, "first") },
	} {
		for most := range int64(9) {
			var runs atomic.Int64
			err := mistake(t, func(ctx context.Context, e strategies.Env) error {
				if run := runs.Add(1); e.Name == "A" && run <= 3*most {
					first(ctx, e)
				}
				for range 2 {
					e.Redis.Get(ctx, e.Key)
				}
				return simtest.Take(ctx, e, e.Name)
			}, "A", "BB", "CCC")
			if most > 0 && !errors.Is(err, program.ErrNondeterministic) {
				t.Errorf("%s in %d runs: %v", name, 3*most, err)
			}
		}
	}
}
