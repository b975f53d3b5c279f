package pages

import (
	"strings"
	"testing"
)

// TestSharedMemory: the positions of a branch keep one list of events.
func TestSharedMemory(t *testing.T) {
	m := start(t, Options{Story: parse(t, overrunStory)}, 80, 24)
	press(m, "t")
	for range 6 {
		press(m, "right", "c")
	}
	last := m.game.at
	events := last.position.History.Events
	for n := last.parent; n.parent != nil; n = n.parent {
		if own := n.position.History.Events; &own[0] != &events[0] || own[len(own)-1].Pick >= n.depth {
			t.Errorf("the position after %d moves has %d events of its own", n.depth, len(own))
		}
	}
}

// TestTheEndOfABranch: where nothing more can happen, the tree says so.
func TestTheEndOfABranch(t *testing.T) {
	m := atLevel(t, Options{Explorer: explorer(t)}, "fenced-write", 80, 24)
	for m.game.choice() != nil {
		press(m, "enter")
		if view(m).card {
			press(m, "c")
		}
	}
	press(m, "left")
	wantText(t, m, "Pick a move")
	press(m, "right", "tab")
	if !m.game.at.over() || m.game.root.over() || play(m).branchLines()[0].Bad == strings.Contains(check(t, m), " over") {
		t.Errorf("it is over, and only there:\n%s", m.View())
	}
}
