package model

import (
	"context"
	"testing"

	"lockstep/internal/testkit/simtest"
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
	for at := range m.seats[0].rounds {
		if n := &m.seats[0].nodes[at]; n.views != nil {
			t.Errorf("node %d of the round may be merged with others: %v", at, n.views)
		}
	}
}
