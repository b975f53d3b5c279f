package matrix

import (
	"lockstep/internal/lang"
	"lockstep/sim/explore"
	"lockstep/sim/history"
	"lockstep/strategies"
	"regexp"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// wideMatrix has more columns than fit side by side, and every kind of cell.
func wideMatrix() []explore.Report {
	crash := history.Action{Verb: history.Crash, Client: "A"}
	schedule := append(make(history.Schedule, 13), crash)
	for i := range schedule[:13] {
		schedule[i] = history.Action{Verb: history.Step, Client: "A"}
	}
	var cells []explore.Report
	for _, info := range strategies.Catalogue() {
		for i, hazard := range explore.Hazards() {
			r := explore.Report{Hazard: hazard.ID, Config: history.Default(), States: 1_234_567}
			r.Config.Strategy = info.ID
			switch i % 4 {
			case 0:
				r.Bounds.Faults = []history.Action{{Verb: history.Crash}}
				r.Found = []explore.Found{{Violation: history.Violation{Invariant: history.LockRecovers}, Schedule: schedule}}
			case 1:
				r.Limit = "states"
			case 2: // whatever the hazard is about has happened
				r.Counts = explore.Counts{Refused: 1, Expired: 1, Clocks: 1, Nested: 1, Scripts: 1, Faults: map[history.Verb]int{}}
				for _, f := range hazard.Bounds.Faults {
					r.Counts.Faults[f.Verb] = 1
				}
			}
			cells = append(cells, r)
		}
	}
	return cells
}

func english(what any) string { return lang.In(nil, what) }

var escapes = regexp.MustCompile("\x1b\\[[0-9;]*m")

// TestAViolatedCellPointsToItsNote, if there is something to say of it.
func TestAViolatedCellPointsToItsNote(t *testing.T) {
	cells := wideMatrix()[:2]
	cells[0].Trouble = lang.New("client A panicked: boom")
	table := NewTable(cells, 2, english)
	for text, want := range map[string][]string{
		table.Text():     {"x LR 14/1 [1]", "[1]       VIOLATED: client A panicked: boom"},
		table.Markdown(): {"| **LR 14/1** [1] |", "1. VIOLATED: client A panicked: boom"},
	} {
		for _, want := range want {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in\n%s", want, text)
			}
		}
	}
}

// TestTableFits: no line is wider than a hundred columns, every hazard has its
// column, and colour changes nothing but colour.
func TestTableFits(t *testing.T) {
	cells := wideMatrix()
	hazards := len(cells) / len(strategies.Catalogue())
	table := NewTable(cells, hazards, english)
	plain := table.Text()
	for _, line := range strings.Split(plain, "\n") {
		if len(line) > maxColumns {
			t.Errorf("%d columns: %s", len(line), line)
		}
	}
	for _, cell := range []string{"x LR 14/1", "? inc [1]", "= 1234567"} {
		if !strings.Contains(plain, cell) {
			t.Errorf("no cell %q in\n%s", cell, plain)
		}
	}
	if got := strings.Count(plain, "\nsetnx "); got < 2 {
		t.Errorf("setnx has %d rows in\n%s", got, plain)
	}
	if strings.Contains(plain, "\x1b") {
		t.Error("colour that nobody asked for")
	}
	table.Colour = true
	coloured := table.Text()
	if coloured == plain || escapes.ReplaceAllString(coloured, "") != plain {
		t.Errorf("with colour:\n%q", coloured)
	}
	rows := strings.Split(table.Markdown(), "\n")
	for _, row := range rows[:len(strategies.Catalogue())+2] {
		if strings.Count(row, "|") != hazards+2 {
			t.Errorf("row %s", row)
		}
	}
}

// TestNarrow: no line of a table is wider than what its reader has.
func TestNarrow(t *testing.T) {
	cells := wideMatrix()
	hazards := len(cells) / len(strategies.Catalogue())
	for _, width := range []int{50, 60, 80, 200} {
		table := NewTable(cells, hazards, english)
		table.Width = width
		for line := range strings.Lines(table.Text()) {
			if n := ansi.StringWidth(line); n > min(width, maxColumns) {
				t.Errorf("%d of %d columns: %q", n, width, line)
			}
		}
	}
}
