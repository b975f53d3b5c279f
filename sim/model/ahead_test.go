package model

import (
	"sync"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/internal/testkit/simtest"
	"lockstep/sim/history"
)

// TestAhead: what clients have learned at once, steps find; and it is what they learn
// one after the other.
func TestAhead(t *testing.T) {
	testkit.Single(t)
	c := history.Default()
	c.Strategy, c.Clients = "watchdog-lua", []string{"A", "B"}
	ahead, alone := New(t.Context(), c, simtest.Subject(t, c.Strategy), false), New(t.Context(), c, simtest.Subject(t, c.Strategy), false)
	defer ahead.Close()
	defer alone.Close()
	at := map[*Model][]int32{ahead: {ahead.Fresh(0), ahead.Fresh(1), ahead.FreshEnv()}, alone: {alone.Fresh(0), alone.Fresh(1), alone.FreshEnv()}}
	step := func(m *Model, who int) []Effect {
		effects, err := m.Steps(who, at[m][who], at[m][2], false)
		if err != nil {
			t.Fatal(err)
		}
		return effects
	}
	for range 6 {
		ahead.Note(func() {
			for who := range c.Clients {
				if effects := step(ahead, who); len(effects) > 0 {
					t.Errorf("client %d has learned %v while it notes", who, effects)
				}
			}
		})
		var group sync.WaitGroup
		for who := range c.Clients {
			group.Go(func() { ahead.LearnNoted(who, 2) })
		}
		group.Wait()
		clients, _ := ahead.Runs()
		for who := range c.Clients {
			got, want := step(ahead, who), step(alone, who)
			if len(got) == 0 || len(got) != len(want) || got[0].Client != want[0].Client {
				t.Errorf("client %d: %v, alone %v", who, got, want)
			}
			at[ahead][who], at[alone][who] = got[0].Client, want[0].Client
		}
		if after, _ := ahead.Runs(); after != clients {
			t.Errorf("%d runs, and %d after the steps", clients, after)
		}
	}
}
