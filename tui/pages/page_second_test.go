package pages

import (
	"slices"
	"testing"

	"lockstep/strategies"
)

func TestSecondFrames(t *testing.T) {
	for _, c := range []struct {
		name string
		lang string
		keys []string
	}{
		{"second_choice", "en", []string{"down", "down", "d"}},
		{"compare_fix", "en", []string{"down", "down", "d", "enter", "G"}},
		{"compare_other", "en", []string{"down", "down", "d", "G", "enter", "G", "left", "left"}},
		{"compare_chinese", "zh", []string{"down", "down", "d", "G", "enter", "G", "left", "left"}},
		{"second_chinese_choice", "zh", []string{"down", "down", "d"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			goldenFrames(t, c.name, func(w, h int) *Shell {
				m := opened(t, Options{Lang: c.lang}, w, h)
				press(m, c.keys...)
				return m
			})
		})
	}
}

// TestCompareFromTheMatrix: a cell's counterexample is played with a second
// lock, its fix first, and esc leads back the same way.
func TestCompareFromTheMatrix(t *testing.T) {
	m := opened(t, Options{}, 120, 40)
	press(m, "d")
	wantCell(t, m, 0, 0) // nothing was found there
	press(m, "down", "down", "v", "d")
	if at(m) != "against" || second(m).locks[0].ID != "set-lua" {
		t.Fatalf("the fix is not proposed:\n%s", check(t, m))
	}
	press(m, "enter")
	wantIn(t, m, "phantom-hold under contention", "action 1 of 13", "against set-del and set-lua")
	press(m, "right", "right")
	wantIn(t, m, "action 3 of 13", "Action: step A")
	press(m, "G")
	wantIn(t, m, "VIOLATED mutual-exclusion and", "This schedule breaks both")
	press(m, "esc", "down", "enter")
	if compare(m).pair.(*twoLocks).locks != [2]string{"set-del", others("set-del")[1].ID} {
		t.Errorf("the second choice is %v", compare(m).pair.(*twoLocks).locks)
	}
	press(m, "esc", "esc")
	wantCell(t, m, 2, 0)
	if m.board.chosen != 1 {
		t.Errorf("back at found %d", m.board.chosen)
	}
}

// TestNoOccasion: a lock that has fewer steps than the schedule wants says so.
func TestNoOccasion(t *testing.T) {
	m := opened(t, Options{}, 120, 40)
	press(m, "down", "down", "d", "G", "enter", "G")
	wantIn(t, m, "With optimistic-version,", "of 13 actions", "sold 1 of 1")
	for !compare(m).sides[1].skipped[compare(m).step.at] {
		press(m, "left")
	}
	wantIn(t, m, "This action is not possible here with optimistic-version")
}

// TestCompareAStory: the run of a story is there again afterwards, at the same
// step; what its file makes of other locks is left out.
func TestCompareAStory(t *testing.T) {
	m := start(t, Options{Story: parse(t, crashStory), At: 3}, 80, 24)
	press(m, "d", "enter", "G")
	wantIn(t, m, "action 7 of 7", "breaks setnx-expire and not set-lua")
	press(m, "esc", "esc")
	if at(m) != "player" || view(m).run == nil || view(m).player.at != 2 {
		t.Errorf("back at:\n%s", m.View())
	}
}

// TestALateComparison: what was left before it came is dropped.
func TestALateComparison(t *testing.T) {
	m := start(t, Options{Story: parse(t, crashStory)}, 80, 24)
	press(m, "d")
	cmd := m.Update(keyMsg("enter"))
	m.Update(keyMsg("esc"))
	deliverAll(m, cmd())
	if at(m) != "against" || compare(m).step.n != 0 {
		t.Errorf("it was taken:\n%s", m.View())
	}
}

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
