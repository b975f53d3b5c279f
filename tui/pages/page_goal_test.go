package pages

import (
	"strings"
	"testing"
)

// longLevel has a goal and a third hint that do not fit above the moves.
const longLevel = "fenced/client-clock/mutual-exclusion"

// TestLongHint: a goal and a hint that do not fit say so, and a key shows them in full.
func TestLongHint(t *testing.T) {
	for _, lang := range []string{"en", "zh"} {
		m := atLevel(t, Options{Lang: lang, Explorer: explorer(t)}, longLevel, 60, 20)
		press(m, "i", "i", "i")
		all, shown := play(m).levelLines(60), play(m).captionLines(60)
		if len(shown) >= len(all) {
			t.Fatalf("%s: all of it fits:\n%s", lang, m.View())
		}
		if last := strings.TrimRight(shown[len(shown)-1].Text(), " "); !strings.HasSuffix(last, "..") || !strings.Contains(check(t, m), last) {
			t.Errorf("%s: nothing says that more follows %q:\n%s", lang, last, m.View())
		}
		wantIn(t, m, "I "+m.Text("does_goal"))
		press(m, "I")
		about := m.game.level.About(m.Book, lang)
		seen := check(t, m)
		for range 30 {
			press(m, "down")
			seen += check(t, m)
		}
		for _, text := range []string{about.Goal, about.Hint1, about.Hint2, about.Hint3} {
			words := strings.Fields(text)
			if last := words[len(words)-1]; !strings.Contains(seen, last) && lang == "en" {
				t.Errorf("%q is never shown", last)
			}
		}
		press(m, "esc")
		if at(m) != "game" {
			t.Errorf("esc leads to %s", at(m))
		}
	}
}

// TestLongLevelInAList: what a list says of a level says so where it goes on.
func TestLongLevelInAList(t *testing.T) {
	m := start(t, Options{}, 40, 16)
	press(m, "b")
	list, long := on[levelsPage](m), 0
	for range list.menu.n {
		if about := m.Passages(list.aboutChosen(list.chosen()), 40); len(about) > 4 {
			long++
			wantIn(t, m, strings.TrimSpace(about[3].Text()[:20]))
			if frame := strings.Split(check(t, m), "\n"); !strings.HasSuffix(strings.TrimSpace(frame[len(frame)-3]), "..") {
				t.Errorf("nothing says that more follows:\n%s", m.View())
			}
		}
		press(m, "down")
	}
	if long == 0 {
		t.Error("everything fits")
	}
}
