package cli

import (
	"testing"
	"testing/synctest"

	"lockstep/internal/testkit"
	"lockstep/internal/trial"
	"lockstep/scenarios"
)

// TestTurns: as long as a package's lock is at work, that of another package with the same
// id waits; those of the same package do not.
func TestTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const id = "turns-lock"
		suite := func(nodes int) *trial.Suite {
			l := &trial.Lock{ID: id}
			l.Plan.Nodes = nodes
			return &trial.Suite{Locks: []*trial.Lock{l}}
		}
		one, two := suite(1), suite(2)
		nodes := func() int {
			s := testkit.Must(scenarios.SubjectOf(id))(t)
			return s.Nodes
		}
		var turns turns
		first, again := turns.take(one, []string{id}), turns.take(one, []string{id, "another"})
		got := false
		go func() {
			end := turns.take(two, []string{id})
			got = true
			end()
		}()
		first()
		turns.take(nil, []string{id})()
		if synctest.Wait(); got || nodes() != 1 {
			t.Errorf("while the first package is at work, the second one has its turn: %t, the lock has %d nodes", got, nodes())
		}
		again()
		if synctest.Wait(); !got || nodes() != 2 {
			t.Errorf("after that: %t, the lock has %d nodes", got, nodes())
		}
	})
}
