package pages

import (
	"slices"
	"strings"
	"testing"

	"lockstep/internal/lesson"
	"lockstep/sim/history"
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

// TestFirstFailureStopsAtAQuestion that is still to be answered.
func TestFirstFailureStopsAtAQuestion(t *testing.T) {
	m := start(t, Options{Story: parse(t, crashStory)}, 120, 40)
	press(m, "f")
	if _, p := story(m).asking(); p == nil || view(m).card || strings.Contains(check(t, m), "VIOLATED") {
		t.Errorf("f leads past a question:\n%s", m.View())
	}
	press(m, "n", "g", "f")
	if !view(m).card || view(m).run.Found[0].Invariant != history.LockRecovers {
		t.Errorf("f does not lead to the failure:\n%s", m.View())
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

// TestCausesLeaveAnswersTheirKeys: a digit that answers a question is no
// place to jump to.
func TestCausesLeaveAnswersTheirKeys(t *testing.T) {
	text := strings.Replace(overrunStory, "\nrun A\n", "\npredict \"How many are inside?\" inside = 2\nbecause 2 \"Both.\"\nbecause 1 \"No.\"\nrun A\n", 1)
	m := start(t, Options{Story: parse(t, text)}, 80, 24)
	press(m, "G")
	_, p := story(m).asking()
	if p == nil {
		t.Fatalf("nothing is asked:\n%s", m.View())
	}
	_, keys := view(m).causesHere()
	for _, key := range choiceKeys(p) {
		if slices.Contains(keys, key) {
			t.Errorf("%s answers, and is a cause among %v", key, keys)
		}
	}
	if len(keys) > 0 {
		t.Errorf("while digits answer, causes have the keys %v:\n%s", keys, m.View())
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

// TestConsequence: the card says what became of the resource so far, and once the end
// has been seen, in the end too.
func TestConsequence(t *testing.T) {
	m := start(t, Options{Story: parse(t, overrunStory)}, 80, 60)
	press(m, "v")
	if got := check(t, m); !strings.Contains(got, "sold 0 of 1 so far") || strings.Contains(got, "sold 1") {
		t.Errorf("the consequence is missing, or tells what lies ahead:\n%s", got)
	}
	press(m, "G", "g", "v")
	if got := check(t, m); !strings.Contains(got, "sold 0 of 1 so far, finally sold 1 of 1") {
		t.Errorf("the consequence in the end is missing:\n%s", got)
	}
}

// TestThreePlaces: the line of source, the command with its reply and the key
// with both values are marked alike, at every width.
func TestThreePlaces(t *testing.T) {
	for _, size := range [][2]int{{60, 20}, {80, 24}, {120, 40}} {
		m := start(t, Options{Story: parse(t, overrunStory), At: 2}, size[0], size[1])
		frame := check(t, m)
		for _, want := range []string{"▸A 16   ok, err :=", "▸ 2", "SET lock:stock A-1", "▸ lock:stock new -> A-1", "▰ TTL 5s"} {
			if !strings.Contains(frame, want) {
				t.Errorf("at %v there is no %q:\n%s", size, want, frame)
			}
		}
	}
}

// TestStripIsReached by tab, on a tall screen in a pane of its own.
func TestStripIsReached(t *testing.T) {
	for _, size := range [][2]int{{60, 20}, {80, 24}, {120, 40}} {
		m := start(t, Options{Story: parse(t, overrunStory), At: 3}, size[0], size[1])
		if m.isTall() {
			press(m, "z")
		}
		for range panes {
			if strings.Contains(check(t, m), "phantom-hold") {
				break
			}
			press(m, "tab")
		}
		if !strings.Contains(m.View(), "phantom-hold") {
			t.Errorf("at %v tab does not lead to the strip:\n%s", size, m.View())
		}
	}
}
