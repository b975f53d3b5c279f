package world_test

import (
	"math/rand/v2"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/internal/testkit/judge"
	"lockstep/sim/history"
	"lockstep/sim/program"
	"lockstep/sim/world"
	"lockstep/strategies"
)

// TestTwoJudges: on random histories of all locks, the monitor agrees with the
// judge that keeps no state.
func TestTwoJudges(t *testing.T) {
	for seed := range uint64(testkit.Size(t, 20, 5)) {
		for _, info := range strategies.Catalogue() {
			rng := rand.New(rand.NewPCG(seed, 1))
			c := history.Default()
			c.Strategy, c.Stock, c.Rounds, c.Nest, c.Lag = info.ID, 1+rng.Int64N(3), 1+rng.IntN(2), 1+rng.IntN(2), rng.IntN(3)
			c.Clients = []string{"A", "B", "C"}[:2+rng.IntN(2)]
			judge.Agree(t, stroll(t, c, subject(t, info.ID), rng))
		}
	}
}

// stroll performs up to 60 random actions, with steps more likely than others.
func stroll(t *testing.T, c history.Config, s program.Subject, rng *rand.Rand) history.History {
	t.Helper()
	c.LockKey = s.Key
	w := testkit.Must(world.New(c, s))(t)
	defer w.Close()
	for range 60 {
		stepsAsRefused(t, w)
		actions := w.Enabled(ofClients...)
		for _, a := range actions {
			if a.Verb == history.Step || a.Verb == history.Tick {
				actions = append(actions, a, a, a)
			}
		}
		for _, v := range []history.Verb{history.Restart, history.Wipe, history.Promote} {
			a := history.Action{Verb: v, Node: "r1"}
			if v == history.Promote {
				a.By = 1
			}
			if s.Nodes > 0 && rng.IntN(8) == 0 && w.Refusal(a).No() {
				actions = append(actions, a)
			}
		}
		if len(actions) == 0 {
			break
		}
		testkit.OK(t, w.Perform(actions[rng.IntN(len(actions))]))
	}
	return w.History()
}

// stepsAsRefused: whether a strand can take a step is told without words as with them.
func stepsAsRefused(t *testing.T, w *world.World) {
	t.Helper()
	for _, client := range w.History().Config.Clients {
		for _, strand := range w.Strands(client) {
			why := w.Refusal(history.Action{Verb: history.Step, Client: client, Strand: strand.ID})
			if strand.Enabled != why.No() {
				t.Errorf("after %v, thread %d of %s can take a step: %t; and why not: %v", w.History().Schedule, strand.ID, client, strand.Enabled, why)
			}
		}
	}
}
