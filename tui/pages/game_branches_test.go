package pages

import (
	"strings"
	"testing"
)

// TestTakeOverAgain: to take over at another step is to go there in the same
// tree, and a branch that is picked again is the same branch.
func TestTakeOverAgain(t *testing.T) {
	m := start(t, Options{Story: parse(t, crashStory), At: 2}, 80, 24)
	whole := len(view(m).run.History.Schedule)
	press(m, "t")
	pickMove(t, m, "A: EXPIRE lock:stock 5")
	press(m, "esc", "G", "t")
	wantGame(t, m, whole, whole, 2)
	press(m, "n")
	wantGame(t, m, 3, 3, 2)
	press(m, "N")
	wantGame(t, m, whole, whole, 2)
	for m.game.at.depth > 2 {
		press(m, "left")
	}
	pickMove(t, m, "A: EXPIRE lock:stock 5")
	wantGame(t, m, 3, 3, 2)
	press(m, "left")
	pickMove(t, m, "B: begins")
	wantGame(t, m, 3, 3, 3)
	press(m, "tab")
	frame := check(t, m)
	for _, want := range []string{"as shown", "lock-recovers", "3 moves, from 2", "open", "attempt 3 of 3"} {
		if !strings.Contains(frame, want) {
			t.Errorf("no %q in\n%s", want, frame)
		}
	}
}

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

// TestTreeStaysInSight: whoever goes from branch to branch looking at the tree
// sees where each leads, the goal of a level first, and no card over it.
func TestTreeStaysInSight(t *testing.T) {
	m := atLevel(t, Options{Explorer: explorer(t)}, "oversell", 80, 24)
	longWay(t, m)
	press(m, "c", "g")
	pickMove(t, m, "B: begins")
	press(m, "tab")
	wantIn(t, m, "lost-update +3", "open", "attempt 2 of 2")
	press(m, "n")
	if view(m).card || view(m).pane != branchesPane {
		t.Errorf("the tree is covered:\n%s", m.View())
	}
	wantIn(t, m, "▸ 1 yours", "attempt 1 of 2")
	press(m, "c")
	wantIn(t, m, "VIOLATED lost-update")
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
