package render

import (
	"lockstep/internal/diagram"
	"regexp"
	"strings"
	"testing"
)

func TestCompare(t *testing.T) {
	a, b := fixture(t, "overrun"), fixture(t, "crash")
	frames(t, func(th Theme, w int) Lines {
		return th.Compare(Side{Name: "set-del", Says: "VIOLATED it and 2 more, sold 2 of 1", Bad: true, Run: diagram.Of(a), At: 9},
			Side{Name: "set-lua", Says: "no violation", Note: "no occasion for 2 of 9", Run: diagram.Of(b), At: 4}, w, 17)
	})
}

// TestCompareFits: whatever the size, both runs are there and nothing more.
func TestCompareFits(t *testing.T) {
	r := fixture(t, "red")
	sides := regexp.MustCompile(`(?s)- one.*- two`)
	verdicts := regexp.MustCompile(`(?s)\bx\b.*\by\b`)
	for _, w := range []int{30, 38, besideFrom - 1, besideFrom, besideFrom + 1, 160} {
		for h := 2; h < 40; h += 3 {
			lines := themed(true).Compare(Side{Name: "one", Says: "x", Run: diagram.Of(r), At: 3}, Side{Name: "two", Says: "y", Run: diagram.Of(r), At: 14, Note: "z"}, w, h)
			fits(t, lines, w)
			all := strings.Join(texts(lines), "\n")
			if len(lines) != h || !sides.MatchString(all) || !verdicts.MatchString(all) {
				t.Fatalf("%dx%d: %d lines:\n%s", w, h, len(lines), all)
			}
		}
	}
}
