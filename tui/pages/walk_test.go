package pages

import (
	"testing"

	"github.com/mattn/go-runewidth"

	"lockstep/internal/testkit"
	"lockstep/scenarios"
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

// TestEveryStory opens every story and draws every step of it.
func TestEveryStory(t *testing.T) {
	stories := scenarios.Stories()
	for _, s := range testkit.Some(t, stories, 22, 12) {
		t.Run(s.Name, func(t *testing.T) {
			m := start(t, Options{Story: s}, 80, 24)
			if view(m).failed != nil {
				t.Fatal(view(m).failed)
			}
			for range view(m).player.rows {
				check(t, m)
				forward(m)
			}
			wantAt(t, m, view(m).player.rows)
			for range view(m).run.Found {
				press(m, "V")
				check(t, m)
			}
		})
	}
}
