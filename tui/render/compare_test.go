package render

import (
	"strings"
	"testing"
)

func TestCompare(t *testing.T) {
	a, b := fixture(t, "overrun"), fixture(t, "crash")
	frames(t, func(th Theme, w int) []string {
		return Compare(Side{"set-del", "2 violations", a, 9}, Side{"set-lua", "no violation", b, 4}, english, th, w, 17)
	})
}

// TestCompareFits: whatever the size, both runs are there and nothing more.
func TestCompareFits(t *testing.T) {
	r := fixture(t, "red")
	for _, w := range []int{30, 38, besideFrom - 1, besideFrom, besideFrom + 1, 160} {
		for h := 2; h < 40; h += 3 {
			lines := Compare(Side{"one", "x", r, 3}, Side{"two", "y", r, 14}, english, plain(true), w, h)
			fits(t, lines, w)
			all := strings.Join(lines, "\n")
			if len(lines) != h || !strings.Contains(all, "one: x") || !strings.Contains(all, "two: y") {
				t.Fatalf("%dx%d: %d lines:\n%s", w, h, len(lines), all)
			}
		}
	}
}
