package pages

import (
	"slices"
	"testing"

	"lockstep/strategies"
)

// TestEveryPair: whatever broke a lock can be played with every other one.
func TestEveryPair(t *testing.T) {
	m := opened(t, Options{}, 80, 24)
	press(m, "down", "down")
	for _, info := range strategies.Catalogue() {
		f := m.board.found()
		story, _, err := m.counterexample(t.Context(), "x", m.board.here().Config, f)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.playBoth(t.Context(), story, [2]string{"set-del", info.ID}); err != nil {
			t.Errorf("%s: %v", info.ID, err)
		}
		list := others(info.ID)
		if len(list) != len(strategies.Catalogue())-1 || info.Fix != "" && list[0].ID != info.Fix {
			t.Errorf("%s against %v", info.ID, list)
		}
		if slices.ContainsFunc(list, func(other strategies.Info) bool { return other.ID == info.ID }) {
			t.Errorf("%s against itself", info.ID)
		}
	}
}
