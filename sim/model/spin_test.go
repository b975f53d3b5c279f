package model

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/internal/testkit/simtest"
	"lockstep/sim/bubble"
	"lockstep/sim/history"
	"lockstep/strategies"
)

// TestSpins: code that spins only leads round where neither it nor the servers are changed
// by a round.
func TestSpins(t *testing.T) {
	c := history.Default()
	c.Strategy, c.Clients = "made", []string{"A"}
	m := New(t.Context(), c, simtest.Made(func(ctx context.Context, e strategies.Env) error {
		for ctx.Err() == nil {
			e.Redis.Set(ctx, "x", 1, 0)
			e.Redis.Get(ctx, "y")
		}
		return ctx.Err()
	}), false)
	defer m.Close()
	in := 0 // states in the round
	for _, s := range m.reach(t, nil, nil) {
		got, err := m.Spins(0, s[0], s[1])
		if err != nil || got != m.InRound(0, s[0]) {
			t.Errorf("%v spins: %t, %v", s, got, err)
		}
		if !got {
			continue
		}
		in++
		if got, err = m.Spins(0, s[0], m.FreshEnv()); got || err != nil {
			t.Errorf("%v spins where x is not set yet: %t, %v", s, got, err)
		}
	}
	if in != 2 {
		t.Errorf("%d states in the round", in)
	}
	// Walks that verify what is merged would go round for ever.
	for at := range m.learners[0].rounds {
		if n := &m.learners[0].nodes[at]; n.views != nil {
			t.Errorf("node %d of the round may be merged with others: %v", at, n.views)
		}
	}
}

// TestWhatSpins: code that repeats the same for long enough spins, other code does not, and
// code that counts its rounds is found out.
func TestWhatSpins(t *testing.T) {
	polls := func(most int, then func(ctx context.Context, e strategies.Env, polled int)) func(context.Context, strategies.Env) error {
		return func(ctx context.Context, e strategies.Env) error {
			n := 0
			for ; n != most && errors.Is(simtest.Take(ctx, e, e.Name), strategies.ErrNotAcquired); n++ {
				e.Redis.Get(ctx, "y")
			}
			then(ctx, e, n)
			return nil
		}
	}
	nothing := func(context.Context, strategies.Env, int) {}
	for n, tt := range []struct {
		name     string
		lock     func(context.Context, strategies.Env) error
		ignored  bool // it is not looked for
		closed   bool
		verified error
	}{
		{name: "for ever", lock: polls(-1, nothing), closed: true},
		{name: "not at all", lock: polls(0, nothing)},
		{name: "twice", lock: polls(2, nothing)},
		{name: "many times, and leaves", lock: polls(30, nothing)},
		{name: "nobody looks for it", lock: polls(30, nothing), ignored: true},
		{name: "and then goes by the number of rounds", lock: polls(-1, func(ctx context.Context, e strategies.Env, polled int) {
			if polled > 2 {
				e.Redis.Get(ctx, "many")
			}
		}), closed: true, verified: ErrCounts},
	} {
		for _, how := range []string{"", ", in a bubble"} {
			if how != "" && n%2 == 1 && testkit.Size(t, 1, 1) == 1 { // these take longest
				continue
			}
			c := history.Default()
			c.Strategy, c.Clients = "made", []string{"A", "B"}
			subject := simtest.Made(tt.lock)
			if how != "" {
				subject.Start = bubble.Start
			}
			m := New(t.Context(), c, subject, false)
			if tt.ignored {
				m.IgnoreSpins(t.Context())
			}
			reached, in := m.reach(t, nil, nil), 0
			closed := slices.ContainsFunc(m.learners, func(l *learner) bool { return len(l.rounds) > 0 })
			if err := m.Verify(t.Context()); !errors.Is(err, tt.verified) || closed != tt.closed || m.IgnoresSpins() != tt.ignored {
				t.Errorf("%s%s: closed: %t, %v", tt.name, how, closed, err)
			}
			for _, s := range reached {
				if !m.InRound(0, s[0]) || in > 0 {
					continue
				}
				in++
				rounds := SpinRounds
				if how != "" {
					rounds = mostAtOnce / 2
				}
				want := Spin{"A", []string{"sends SET lock:stock A EX 5 NX", "sends GET y"}, "", rounds}
				spin, err := m.Spin(0, s[0])
				if at := spin.Source; !strings.Contains(at, ".go:") || err != nil {
					t.Errorf("%s%s: at %q, %v", tt.name, how, at, err)
				}
				if spin.Source = ""; !reflect.DeepEqual(spin, want) {
					t.Errorf("%s%s: %+v, want %+v", tt.name, how, spin, want)
				}
			}
			if (in > 0) != tt.closed {
				t.Errorf("%s%s: %d states in a round of %d", tt.name, how, in, len(reached))
			}
			m.Close()
		}
	}
}
