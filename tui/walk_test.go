package tui

import (
	"regexp"
	"strings"
	"testing"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"
	"github.com/mattn/go-runewidth"
	"github.com/muesli/termenv"

	"lockstep/scenarios"
	"lockstep/tui/render"
)

// looked remembers which characters some terminals draw in two cells.
var looked = map[rune]bool{}

// ambiguous finds such a character in a frame.
func ambiguous(frame string) (rune, bool) {
	eastAsian, western := runewidth.Condition{EastAsianWidth: true}, runewidth.Condition{}
	for _, r := range frame {
		wide, known := looked[r]
		if !known {
			wide = eastAsian.RuneWidth(r) != western.RuneWidth(r)
			looked[r] = wide
		}
		if wide {
			return r, true
		}
	}
	return 0, false
}

// TestColourSaysNothingMore: without its colours a frame has the same words
// and marks.
func TestColourSaysNothingMore(t *testing.T) {
	for _, keys := range [][]string{nil, {"right"}, {"v"}, {"v", "c"}, {"?"}, {"esc"}, {"esc", "esc"}, {"m"}, {"m", "c"}, {"m", "?"},
		{"t"}, {"G", "t", "c"}, {"t", "tab"}, {"t", "?"}, {"esc", "esc", "b"}, {"esc", "esc", "b", "enter", "i", "enter"}} {
		program := func() *model {
			if len(keys) > 0 && keys[0] == "m" {
				return opened(t, Options{}, 80, 24)
			}
			return start(t, Options{Story: parse(t, crashStory)}, 80, 24)
		}
		plain := program()
		r := lipgloss.NewRenderer(nil)
		r.SetColorProfile(termenv.ANSI)
		coloured := program()
		coloured.theme = render.NewTheme(r, false)
		press(plain, keys...)
		press(coloured, keys...)
		frame := check(t, coloured)
		if !strings.Contains(frame, "\x1b[") {
			t.Error("no colour at all")
		}
		blanks := regexp.MustCompile(`(?m) +$`)
		if got := blanks.ReplaceAllString(ansi.Strip(frame), ""); got != plain.View() {
			t.Errorf("after %v with colour:\n%s\nwithout:\n%s", keys, got, plain.View())
		}
	}
}

// TestEveryStory opens every story and draws every step of it.
func TestEveryStory(t *testing.T) {
	stories, err := scenarios.Stories()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range stories {
		t.Run(s.Name, func(t *testing.T) {
			m := start(t, Options{Story: s}, 80, 24)
			if m.failed != nil {
				t.Fatal(m.failed)
			}
			for range m.player.rows {
				check(t, m)
				forward(m)
			}
			wantAt(t, m, m.player.rows)
			for range m.run.Found {
				press(m, "V")
				check(t, m)
			}
		})
	}
}
