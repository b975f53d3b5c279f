package pages

import (
	"regexp"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"lockstep/internal/prose"
	"lockstep/internal/testkit"
)

// TestMatrixInChinese looks at every cell, and at what it opens.
func TestMatrixInChinese(t *testing.T) {
	testkit.Single(t)
	english := regexp.MustCompile(`[a-z]+ [a-z]+`)
	m := opened(t, Options{Lang: "zh"}, 200, 60)
	for i := range m.board.cells {
		m.board.lock.at, m.board.hazard.at = i/m.board.hazard.n, i%m.board.hazard.n
		for _, keys := range [][]string{nil, {"c"}, {"?"}} {
			press(m, keys...)
			frame := check(t, m)
			if keys == nil {
				_, frame, _ = strings.Cut(frame, "optimistic-version ") // below the ids that head the table
			}
			if c := m.board.cells[i]; c != nil { // a world is written as in stories
				frame = strings.ReplaceAll(frame, c.Config.String(), "")
			}
			if found := english.FindString(frame); found != "" {
				t.Fatalf("%q in\n%s", found, m.View())
			}
		}
		press(m, "esc", "esc")
	}
}

// TestCellsAreShort: what a cell says fits into it, after its sign and a blank.
func TestCellsAreShort(t *testing.T) {
	for _, lang := range prose.Languages() {
		m := start(t, Options{Lang: lang}, 80, 24)
		for _, id := range []string{"not_yet", "working", "holds", "vacuous", "inconclusive"} {
			if word := m.Text("cell_" + id); ansi.StringWidth(word) > 8 {
				t.Errorf("%s: %q is wider than 8 columns", lang, word)
			}
		}
	}
}

// TestViolationsAreNotGivenAway: the footer counts those that were met.
func TestViolationsAreNotGivenAway(t *testing.T) {
	m := start(t, Options{Story: parse(t, overrunStory)}, 120, 40)
	for at := range view(m).player.rows {
		met := 0
		for _, f := range view(m).run.Found {
			if f.Row <= at {
				met++
			}
		}
		want := ""
		switch {
		case met == 1:
			want = "1 violation so far"
		case met > 1:
			want = m.Fill("violations", prose.TextFacts{N: met})
		}
		if _, got := m.page().status(); !strings.Contains(got, want) || want == "" && strings.Contains(got, "violation") {
			t.Errorf("step %d: %q, want %q", at+1, got, want)
		}
		forward(m)
	}
}
