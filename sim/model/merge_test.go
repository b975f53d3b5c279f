package model

import (
	"context"
	"errors"
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

// besides is a lock with a second strand, which looks at what the first has done and may
// leave a mark. What the lock does in the end depends on that.
func besides(strand func(r strategies.Env, passed bool) (mark bool), between func(ctx context.Context, e strategies.Env)) program.Subject {
	return simtest.Made(func(ctx context.Context, e strategies.Env) error {
		var passed, mark atomic.Bool
		e.Go("other", func() {
			e.Redis.Get(ctx, "elsewhere")
			mark.Store(strand(e, passed.Load()))
		})
		e.Redis.Get(ctx, "anywhere")
		passed.Store(true)
		between(ctx, e)
		if mark.Load() {
			e.Redis.Get(ctx, "marked")
		}
		return simtest.Take(ctx, e, e.Name)
	})
}

// TestMergesAreVerified: code that goes by the order of its strands is found out, at once
// or later, and other code is not; interrupted, it is found out by the next try.
func TestMergesAreVerified(t *testing.T) {
	sleeps := func(ctx context.Context, e strategies.Env) { _ = e.Clock.Sleep(ctx, time.Second) }
	reads := func(ctx context.Context, e strategies.Env) { e.Redis.Get(ctx, "between") }
	for _, tt := range []struct {
		name      string
		subject   program.Subject
		remembers bool
	}{
		{"it forgets", besides(func(strategies.Env, bool) bool { return false }, sleeps), false},
		{"both orders are marked", besides(func(strategies.Env, bool) bool { return true }, sleeps), false},
		{"it remembers, and shows it when the other has ended", besides(func(_ strategies.Env, passed bool) bool { return !passed }, sleeps), true},
		{"it remembers the other order", besides(func(_ strategies.Env, passed bool) bool { return passed }, sleeps), true},
		{"it remembers, and shows it after a command", besides(func(_ strategies.Env, passed bool) bool { return !passed }, reads), true},
	} {
		for _, how := range []string{"", " in a bubble", " exactly"} {
			t.Run(tt.name+how, func(t *testing.T) {
				c := history.Default()
				c.Strategy, c.Clients = "made", []string{"A"}
				subject, remembers := tt.subject, tt.remembers && how != " exactly"
				if how == " in a bubble" { // go-redis remembers which connection came back first
					subject.Start, remembers = bubble.Start, true
				}
				m := New(t.Context(), c, subject, how == " exactly")
				defer m.Close()
				m.reach(t, nil, nil)
				ended, end := context.WithCancel(t.Context())
				end()
				if err := m.VerifyMerges(ended); err != nil || m.Merging().Runs != 0 {
					t.Errorf("interrupted: %d runs, %v", m.Merging().Runs, err)
				}
				err := m.VerifyMerges(t.Context())
				if exact := how == " exactly"; errors.Is(err, ErrRemembers) != remembers || err != nil && !errors.Is(err, ErrRemembers) {
					t.Errorf("remembers: %v", err)
				} else if all := m.Merging(); (all.Ways == 0) != exact || (all.Runs == 0) != exact {
					t.Errorf("%+v", all)
				}
				before := m.Merging().Runs
				if err == nil && (m.VerifyMerges(t.Context()) != nil || m.Merging().Runs != before) {
					t.Errorf("once more: %d more runs", m.Merging().Runs-before)
				}
			})
		}
	}
}

// endsAfter is a context that ends after a number of looks at it.
type endsAfter struct {
	context.Context
	looks int
}

func (c *endsAfter) Err() error {
	if c.looks--; c.looks < 0 {
		return context.Canceled
	}
	return nil
}

// TestAnInterruptProvesNothing: wherever it is interrupted, also in the middle of a client,
// verification finds later what it has not found, or has found it, and verifies all of that again.
func TestAnInterruptProvesNothing(t *testing.T) {
	for _, remembers := range []bool{true, false} {
		subject := besides(func(_ strategies.Env, passed bool) bool { return remembers && !passed }, func(ctx context.Context, e strategies.Env) { e.Redis.Get(ctx, "between") })
		all, looks, interrupted := 0, 0, true
		for ; interrupted && looks < 1000; looks += max(1, looks/4/testkit.Size(t, 1, 1)) {
			c := history.Default()
			c.Strategy, c.Clients = "made", []string{"A"}
			m := New(t.Context(), c, subject, false)
			m.reach(t, nil, nil)
			first := m.VerifyMerges(&endsAfter{t.Context(), looks})
			before := m.Merging().Runs
			then := m.VerifyMerges(t.Context())
			if remembers != (errors.Is(first, ErrRemembers) || errors.Is(then, ErrRemembers)) {
				t.Errorf("interrupted at look %d: %v, then %v", looks+1, first, then)
			}
			again := m.Merging().Runs - before
			if looks == 0 {
				all = again
			}
			if interrupted = first == nil && again > 0; interrupted && again != all {
				t.Errorf("interrupted at look %d, %d of %d runs are left", looks+1, again, all)
			}
			m.Close()
		}
		if looks < max(4, all) || interrupted {
			t.Errorf("it looks only %d times whether to end, or always, and verifies by %d runs", looks, all)
		}
	}
}

// TestLearnedAgain: what is learned again is learned from the beginning, in the way that is
// asked for, and all runs count.
func TestLearnedAgain(t *testing.T) {
	c := history.Default()
	c.Strategy = "watchdog-lua"
	m := New(t.Context(), c, simtest.Subject(t, c.Strategy), false)
	defer m.Close()
	ignored, exact := false, false
	for _, again := range []func(){
		func() {},
		func() { ignored = true; m.IgnoreSpins(t.Context()) },
		func() { exact = true; m.Relearn(t.Context()) },
	} {
		clients, nodes := m.Runs()
		known := m.Bytes()
		again()
		if now, execs := m.Runs(); now < clients || now > clients+10 || execs != nodes || m.Bytes() > max(known/10, 10_000) {
			t.Errorf("%d of %d runs, %d of %d executions, %d bytes of %d", now, clients, execs, nodes, m.Bytes(), known)
		}
		m.reach(t, nil, nil)
		if all := m.Merging(); m.IgnoresSpins() != ignored || all.Relearned != exact || (all.Ways == 0) != exact || all.Ways < 0 || all.Runs != 0 {
			t.Errorf("ignores spins %t, %+v", m.IgnoresSpins(), all)
		}
	}
}
