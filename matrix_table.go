package main

import (
	"fmt"
	"slices"
	"strings"

	"lockstep/sim/explore"
	"lockstep/sim/history"
)

// maxColumns is how wide a table may be.
const maxColumns = 100

// shorts are the invariants as a narrow table has them.
var shorts = map[string]string{
	history.MutualExclusion: "ME", history.ForeignRelease: "FR", history.ForeignRenewal: "FN",
	history.OverwrittenLease: "OL", history.PhantomHold: "PH", history.LockRecovers: "LR",
	history.SelfDeadlock: "SD", history.StaleWrite: "SW", history.LostUpdate: "LU", history.Leak: "LK",
}

// A matrixTable writes the cells of a matrix for people.
type matrixTable struct {
	colour  bool
	locks   []string
	hazards []string
	cells   []cellRow // lock by lock
	notes   []string  // each reason once
	broken  []string  // invariants that occur, in their order
}

func newMatrixTable(cells []explore.Cell, hazards int) *matrixTable {
	t := &matrixTable{}
	occurs := map[string]bool{}
	for i := range cells {
		row := newCellRow(cells[i].Lock, &cells[i].Report)
		t.cells = append(t.cells, row)
		for _, f := range cells[i].Report.Found {
			occurs[f.Violation.Invariant] = true
		}
		if i%hazards == 0 {
			t.locks = append(t.locks, row.Lock)
		}
		if i < hazards {
			t.hazards = append(t.hazards, row.Hazard)
		}
		if note := noteOf(row); note != "" && !slices.Contains(t.notes, note) {
			t.notes = append(t.notes, note)
		}
	}
	for _, id := range history.Invariants {
		if occurs[id] {
			t.broken = append(t.broken, id)
		}
	}
	return t
}

// noteOf is what stands below the table about a cell that has a reason.
func noteOf(c cellRow) string {
	if c.Reason == "" {
		return ""
	}
	return fmt.Sprintf("%s: %s", c.Verdict, c.Reason)
}

// noted adds the number of a cell's note, from 1, if it has one.
func (t *matrixTable) noted(text string, c cellRow) string {
	if n := slices.Index(t.notes, noteOf(c)) + 1; n > 0 {
		text += fmt.Sprintf(" [%d]", n)
	}
	return text
}

// short is a cell of the narrow table: a sign, a word, a number.
func (t *matrixTable) short(c cellRow) string {
	switch c.Verdict {
	case explore.Violated:
		text := "x " + c.broken[0]
		if more := len(c.broken) - 1; more > 0 {
			text += fmt.Sprintf(" +%d", more)
		}
		return t.noted(text, c)
	case explore.Holds:
		return fmt.Sprintf("= %d", c.States)
	case explore.Vacuous:
		return t.noted("- vac", c)
	}
	return t.noted("? inc", c)
}

// broken writes one broken invariant of a cell: "ME 7", or with faults "LR 3/1".
func broken(invariant string, steps, faults int) string {
	text := fmt.Sprintf("%s %d", shorts[invariant], steps)
	if faults > 0 {
		text += fmt.Sprintf("/%d", faults)
	}
	return text
}

// colours are never all that tells verdicts apart.
var colours = map[explore.Verdict]string{explore.Violated: "31", explore.Holds: "32", explore.Vacuous: "2", explore.Inconclusive: "33"}

func (t *matrixTable) paint(c cellRow, text string) string {
	if !t.colour {
		return text
	}
	return "\x1b[" + colours[c.Verdict] + "m" + text + "\x1b[0m"
}

// text writes the table for a terminal: as many hazards side by side as fit,
// the rest below.
func (t *matrixTable) text() string {
	var b strings.Builder
	first := 0
	for _, id := range t.locks {
		first = max(first, len(id))
	}
	widths := make([]int, len(t.hazards))
	for i, c := range t.cells {
		h := i % len(t.hazards)
		upper, lower := heading(t.hazards[h])
		widths[h] = max(widths[h], len(t.short(c)), len(upper), len(lower))
	}
	for from := 0; from < len(t.hazards); {
		to, width := from, first
		for to < len(widths) && (to == from || width+1+widths[to] <= maxColumns) {
			width += 1 + widths[to]
			to++
		}
		t.band(&b, first, widths, from, to)
		from = to
	}
	t.legend(&b)
	return b.String()
}

// heading breaks a hazard's name in two lines: late-request is a wide word.
func heading(hazard string) (upper, lower string) {
	if before, after, ok := strings.Cut(hazard, "-"); ok {
		return before + "-", after
	}
	return "", hazard
}

// band writes the columns from one hazard to another.
func (t *matrixTable) band(b *strings.Builder, first int, widths []int, from, to int) {
	line := func(name string, cell func(h int) (plain, painted string)) {
		text := fmt.Sprintf("%-*s", first, name)
		for h := from; h < to; h++ {
			plain, painted := cell(h)
			text += " " + painted + strings.Repeat(" ", widths[h]-len(plain))
		}
		if text = strings.TrimRight(text, " "); text != "" { // where no heading needs two lines
			fmt.Fprintln(b, text)
		}
	}
	line("", func(h int) (string, string) { upper, _ := heading(t.hazards[h]); return upper, upper })
	line("lock", func(h int) (string, string) { _, lower := heading(t.hazards[h]); return lower, lower })
	for i, lock := range t.locks {
		line(lock, func(h int) (string, string) {
			c := t.cells[i*len(t.hazards)+h]
			return t.short(c), t.paint(c, t.short(c))
		})
	}
	fmt.Fprintln(b)
}

func (t *matrixTable) legend(b *strings.Builder) {
	fmt.Fprintln(b, "x ME 7    VIOLATED: 7 steps break the invariant ME; in 7/1, one is a fault; +2: two more are broken")
	fmt.Fprintln(b, "= 58      HOLDS: in all of 58 states")
	fmt.Fprintln(b, "- vac     VACUOUS: nothing broke, and what the hazard is about never came to pass")
	fmt.Fprintln(b, "? inc     INCONCLUSIVE: nothing broke until a limit ended the search")
	for _, id := range t.broken {
		fmt.Fprintf(b, "%-9s %s\n", shorts[id], id)
	}
	for i, note := range t.notes {
		fmt.Fprintf(b, "%-9s %s\n", fmt.Sprintf("[%d]", i+1), note)
	}
}

// markdown writes the table for a README.
func (t *matrixTable) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "| lock | %s |\n|---%s|\n", strings.Join(t.hazards, " | "), strings.Repeat("|---", len(t.hazards)))
	for i, lock := range t.locks {
		fmt.Fprintf(&b, "| %s |", lock)
		for _, c := range t.cells[i*len(t.hazards) : (i+1)*len(t.hazards)] {
			fmt.Fprintf(&b, " %s |", t.long(c))
		}
		fmt.Fprintln(&b)
	}
	fmt.Fprintln(&b)
	var names []string
	for _, id := range t.broken {
		names = append(names, shorts[id]+" "+id)
	}
	if len(names) > 0 {
		fmt.Fprintf(&b, "**ME 7**: seven steps break mutual-exclusion; in 7/1, one of them is a fault. %s.\n\n", strings.Join(names, ", "))
	}
	for i, note := range t.notes {
		fmt.Fprintf(&b, "%d. %s\n", i+1, note)
	}
	return b.String()
}

// long is a cell of the Markdown table.
func (t *matrixTable) long(c cellRow) string {
	switch c.Verdict {
	case explore.Violated:
		return t.noted("**"+strings.Join(c.broken, "**, **")+"**", c)
	case explore.Holds:
		return fmt.Sprintf("holds (%d)", c.States)
	}
	return t.noted(strings.ToLower(string(c.Verdict)), c)
}
