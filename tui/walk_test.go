package tui

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"
	"github.com/mattn/go-runewidth"
	"github.com/muesli/termenv"

	"lockstep/scenarios"
	"lockstep/tui/render"
)

// TestRandomWalk presses keys and changes sizes at random: every frame fits,
// and q quits from everywhere.
func TestRandomWalk(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
	keys := []string{
		"right", "l", "enter", "left", "h", " ", "p", "+", "-", "g", "G", "home", "end", "v", "v", "V", "tab", "s", "c", "esc",
		"up", "down", "j", "k", "?", "/", "0", "1", "2", "y", "n", "y", "c", "R", "e", "n", "enter", "enter", "right", "backspace", "ctrl+z", "界", "x", "m", "m",
		"t", "t", "b", "b", "i", "u", "n", "N", "enter", "enter",
	}
	cells := cannedCells(t, canned(t, nil))
	stories := []string{crashStory, overrunStory}
	seen, picked := map[screen]bool{}, 0
	for walk := range 15 {
		o := Options{ASCII: walk%3 == 0, Explorer: explorer(t)}
		if walk%2 == 0 {
			o.Story = parse(t, stories[walk/2%2])
		}
		if walk%4 > 0 {
			o.Matrix = canned(t, nil)
		}
		m := start(t, o, 80, 24)
		if walk%4 == 1 {
			press(m, "b")
		}
		for range 400 {
			switch n := rng.IntN(20); {
			case n == 4 && o.Matrix != nil:
				m.Update(cellDone{cells[rng.IntN(len(cells))]})
			case n == 5 && walk%3 == 1:
				m.screen = locksScreen
				press(m, "esc", "c", "enter") // most of this walk is in the course
			case n == 5 && walk%3 == 2:
				m.screen = locksScreen
				press(m, "esc", "enter", "c") // a lock's card
			case n == 0:
				m.Update(tea.WindowSizeMsg{Width: rng.IntN(160), Height: rng.IntN(60)})
			case n < 3:
				m.Update(playTick{m.player.turn - rng.IntN(2)})
			default:
				press(m, keys[rng.IntN(len(keys))])
			}
			if m.width == 0 || m.height == 0 {
				continue
			}
			frame := check(t, m)
			if seen[m.screen] = true; m.screen == gameScreen && m.game.at != nil {
				picked = max(picked, m.game.at.depth)
			}
			if r, found := ambiguous(frame); found {
				t.Fatalf("%q is of ambiguous width:\n%s", r, frame)
			}
			if _, cmd := m.Update(keyMsg("q")); !m.filtering && !isQuit(cmd) {
				t.Fatalf("q does not quit:\n%s", frame)
			}
			if t.Failed() {
				return
			}
		}
	}
	// The comparison at the end of a chapter is too far for chance; frames and
	// keys have tests of their own.
	delete(seen, compareScreen)
	if len(seen) != int(compareScreen) || picked < 8 {
		t.Errorf("the walk came to the screens %v, and %d moves far", seen, picked)
	}
}

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
