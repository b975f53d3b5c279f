package model

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"lockstep/internal/testkit"
	"lockstep/internal/testkit/simtest"
	"lockstep/sim/bubble"
	"lockstep/sim/history"
	"lockstep/sim/program"
	"lockstep/strategies"
)

// mistake explores a lock until its code turns out to do something else when it is told the
// same, and returns the error.
func mistake(t *testing.T, lock func(context.Context, strategies.Env) error, clients ...string) error {
	t.Helper()
	return mistakeOf(t, simtest.Made(lock), clients...)
}

func mistakeOf(t *testing.T, subject program.Subject, clients ...string) error {
	t.Helper()
	timer := time.AfterFunc(5*time.Minute, func() { panic("it hangs") })
	defer timer.Stop()
	c := history.Default()
	c.Strategy, c.Clients = "made", clients
	m := New(t.Context(), c, subject, false)
	defer m.Close()
	var first []int32
	for who := range clients {
		first = append(first, m.Fresh(who))
	}
	seen := map[string]bool{}
	for list := [][]int32{append(first, m.FreshEnv())}; len(list) > 0 && len(seen) < maxReached; list = list[1:] {
		s := list[0]
		env, due := s[len(clients)], history.Millis(0)
		to := func(who int, e Effect) {
			next := slices.Clone(s)
			if next[len(clients)] = e.Env; who != AnEnv {
				next[who] = e.Client
			}
			if key := fmt.Sprint(next); !seen[key] {
				seen[key] = true
				list = append(list, next)
			}
		}
		for who := range clients {
			steps, err := m.Steps(who, s[who], env, false)
			if err != nil {
				return err
			}
			for _, e := range steps {
				to(who, e)
			}
			due = Sooner(due, m.Due(who, s[who], env))
		}
		if due > 0 {
			e := testkit.Must(m.Happen(env, EnvAction{To: due}))(t)
			to(AnEnv, e)
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

// TestOtherTimers: of code with timers of its own that nobody can repeat, the error has in
// what two runs differ, not only that one did not go on as another.
func TestOtherTimers(t *testing.T) {
	subject := simtest.Made(func(ctx context.Context, e strategies.Env) error {
		e.Redis.Get(ctx, e.Key)
		time.Sleep(time.Duration(new(maphash.Hash).Sum64() % uint64(time.Second)))
		return simtest.Take(ctx, e, 1)
	})
	subject.Start = bubble.Start
	err := mistakeOf(t, subject, "A")
	if !errors.Is(err, program.ErrNondeterministic) || !strings.Contains(err.Error(), "again  wait until its clock shows 12:00:0") {
		t.Error(err)
	}
}
