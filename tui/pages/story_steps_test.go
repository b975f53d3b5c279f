package pages

import (
	"slices"
	"strings"
	"testing"

	"lockstep/internal/lesson"
)

// TestFirstFailures: f leads to where each broken invariant fails first, in
// the order of the steps, and then begins again.
func TestFirstFailures(t *testing.T) {
	m := start(t, Options{Story: parse(t, overrunStory)}, 80, 24)
	var want []int
	for i, f := range view(m).run.Found {
		if !slices.ContainsFunc(view(m).run.Found[:i], func(g lesson.Found) bool { return g.Invariant == f.Invariant }) {
			want = append(want, i)
		}
	}
	if len(want) < 2 || len(want) == len(view(m).run.Found) {
		t.Fatalf("the story has no invariant that fails twice: %v", view(m).run.Found)
	}
	for _, i := range append(want, want[0]) {
		press(m, "f")
		if f := view(m).run.Found[i]; view(m).violation != i || view(m).player.at != f.Row || !view(m).card {
			t.Errorf("at violation %d in row %d, want %d in %d", view(m).violation, view(m).player.at, i, f.Row)
		}
		check(t, m)
	}
}

// TestCauses: each cause on a card is a place to jump to, and v leads back.
func TestCauses(t *testing.T) {
	m := start(t, Options{Story: parse(t, overrunStory)}, 80, 24)
	for i := range view(m).run.Found {
		press(m, "g")
		for range i + 1 {
			press(m, "v")
		}
		rows, keys := view(m).causesHere()
		if len(rows) == 0 || len(keys) != len(rows) || !slices.IsSorted(rows) {
			t.Fatalf("violation %d has the causes %v, keys %v", i, rows, keys)
		}
		if m.Resize(80, 60); !strings.Contains(check(t, m), "["+keys[0]+"] ") {
			t.Errorf("the card does not show its keys:\n%s", m.View())
		}
		at := view(m).player.at
		press(m, keys[0])
		if view(m).player.at != rows[0] || view(m).card {
			t.Errorf("key %s leads to row %d, want %d", keys[0], view(m).player.at, rows[0])
		}
		if rows[0] < at {
			press(m, "1")
			wantAt(t, m, rows[0]+1) // without a card there is no cause
		}
	}
}

// TestCauseOfAGame: where the learner picks, a cause is an earlier position.
func TestCauseOfAGame(t *testing.T) {
	m := start(t, Options{Story: parse(t, overrunStory)}, 80, 24)
	press(m, "G", "t", "c")
	rows, keys := view(m).causesHere()
	if len(keys) == 0 {
		t.Fatalf("the card has no causes:\n%s", check(t, m))
	}
	depth, tip := picksTo(view(m).run, rows[0]), m.game.tip
	press(m, keys[0])
	if m.game.at.depth != depth || m.game.tip != tip {
		t.Errorf("at move %d, want %d of the same branch", m.game.at.depth, depth)
	}
}
