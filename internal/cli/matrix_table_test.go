package cli

import (
	"bytes"
	"context"
	"io"
	"regexp"
	"strings"
	"testing"

	"lockstep/internal/lang"
	"lockstep/internal/matrix"
	"lockstep/sim/explore"
	"lockstep/sim/history"
	"lockstep/strategies"
)

// wideMatrix has more columns than fit side by side, and every kind of cell.
func wideMatrix() []explore.Cell {
	crash := history.Action{Verb: history.Crash, Client: "A"}
	schedule := append(make(history.Schedule, 13), crash)
	for i := range schedule[:13] {
		schedule[i] = history.Action{Verb: history.Step, Client: "A"}
	}
	var cells []explore.Cell
	for _, info := range strategies.Catalogue() {
		for i, hazard := range hazardIDs() {
			r := explore.Report{Hazard: hazard, Config: history.Default(), States: 1_234_567}
			switch i % 4 {
			case 0:
				r.Bounds.Faults = []history.Action{{Verb: history.Crash}}
				r.Found = []explore.Found{{Violation: history.Violation{Invariant: history.LockRecovers}, Schedule: schedule}}
			case 1:
				r.Limit = "states"
			case 2: // whatever the hazard is about has happened
				r.Counts = explore.Counts{Refused: 1, Expired: 1, Clocks: 1, Nested: 1, Scripts: 1, Faults: map[history.Verb]int{}}
				for _, f := range explore.Hazards()[i].Bounds.Faults {
					r.Counts.Faults[f.Verb] = 1
				}
			}
			cells = append(cells, explore.Cell{Lock: info.ID, Report: r})
		}
	}
	return cells
}

func english(what any) string { return lang.In(nil, what) }

var escapes = regexp.MustCompile("\x1b\\[[0-9;]*m")

// TestAViolatedCellPointsToItsNote, if there is something to say of it.
func TestAViolatedCellPointsToItsNote(t *testing.T) {
	cells := wideMatrix()[:2]
	cells[0].Report.Trouble = lang.New("client A panicked: boom")
	table := newMatrixTable(cells, 2, english)
	for text, want := range map[string][]string{
		table.text():     {"x LR 14/1 [1]", "[1]       VIOLATED: client A panicked: boom"},
		table.markdown(): {"| **LR 14/1** [1] |", "1. VIOLATED: client A panicked: boom"},
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
	table := newMatrixTable(cells, hazards, english)
	plain := table.text()
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
	table.colour = true
	coloured := table.text()
	if coloured == plain || escapes.ReplaceAllString(coloured, "") != plain {
		t.Errorf("with colour:\n%q", coloured)
	}
	rows := strings.Split(table.markdown(), "\n")
	for _, row := range rows[:len(strategies.Catalogue())+2] {
		if strings.Count(row, "|") != hazards+2 {
			t.Errorf("row %s", row)
		}
	}
}

func TestShortNames(t *testing.T) {
	seen := map[string]bool{}
	for _, id := range history.Invariants() {
		if s := matrix.Shorts[id]; len(s) != 2 || seen[s] {
			t.Errorf("%s is short for %s", s, id)
		}
		seen[matrix.Shorts[id]] = true
	}
}

// TestStopsWhenInterrupted: half a search is no pass.
func TestStopsWhenInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, line := range []string{"explore setnx --json", "matrix --locks setnx --json"} {
		var stdout, stderr bytes.Buffer
		a := newApp(strings.NewReader(""), &stdout, &stderr)
		if code := a.run(ctx, strings.Fields(line)); code != exitUnexpected || strings.Count(stdout.String(), "INCONCLUSIVE") != strings.Count(stdout.String(), "\n") {
			t.Errorf("%s: exit code %d, %s", line, code, &stdout)
		}
	}
}

// TestReproduce: a schedule that does not break what it is said to break is
// not believed.
func TestReproduce(t *testing.T) {
	config, err := history.ParseConfig("strategy=setnx clients=A,B")
	if err != nil {
		t.Fatal(err)
	}
	s, err := history.ParseSchedule("A*2 A.crash")
	if err != nil {
		t.Fatal(err)
	}
	for invariant, want := range map[string]string{
		history.LockRecovers: "", history.MutualExclusion: "run 1 of 10 does not violate mutual-exclusion",
	} {
		_, err := reproduce(t.Context(), config, &explore.Found{Violation: history.Violation{Invariant: invariant}, Schedule: s})
		if err != nil && err.Error() != want || err == nil && want != "" {
			t.Errorf("%s: %v, want %q", invariant, err, want)
		}
	}
	_, err = reproduce(t.Context(), config, &explore.Found{Schedule: append(s, s...)})
	if err == nil || !strings.Contains(err.Error(), "run 1 of 10: ") {
		t.Error(err)
	}
}

// TestNoProgress: a file or a pipe gets no progress.
func TestNoProgress(t *testing.T) {
	a := newApp(nil, io.Discard, io.Discard)
	cells, _ := a.progress()
	states, _ := a.exploreProgress("")
	runs, _ := a.huntProgress("", 1)
	if cells != nil || states != nil || runs != nil {
		t.Error("progress for nobody")
	}
	if got := bar(7, 20); got != "[#######.............]" {
		t.Errorf("7 of 20 is %s", got)
	}
}
