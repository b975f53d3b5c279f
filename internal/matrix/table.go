package matrix

import (
	"fmt"
	"lockstep/internal/lang"
	"lockstep/sim/explore"
	"lockstep/sim/history"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// maxColumns bounds the width of a table, also where its reader has more.
const maxColumns = 100

// A Table writes a matrix as text and as Markdown.
type Table struct {
	Colour  bool     // of Text
	Width   int      // of Text, in columns; 0 if its reader's is not known
	Hazards []string // the columns
	Notes   []string // each reason for a verdict once; cells point to them

	in     func(any) string // translates
	locks  []string
	cells  []explore.Report // lock by lock
	broken []string         // invariants that occur, in their order
}

// NewTable returns the table of cells, lock by lock, with so many columns.
func NewTable(cells []explore.Report, hazards int, in func(any) string) *Table {
	t := &Table{in: in, cells: cells}
	occurs := map[string]bool{}
	for i := range cells {
		c := &cells[i]
		for _, f := range c.Found {
			occurs[f.Violation.Invariant] = true
		}
		if i%hazards == 0 {
			t.locks = append(t.locks, c.Config.Strategy)
		}
		if i < hazards {
			t.Hazards = append(t.Hazards, c.Hazard)
		}
		if note := t.noteOf(c); note != "" && !slices.Contains(t.Notes, note) {
			t.Notes = append(t.Notes, note)
		}
	}
	for _, id := range history.Invariants() {
		if occurs[id] {
			t.broken = append(t.broken, id)
		}
	}
	return t
}

// noteOf is the note on a cell that has a reason.
func (t *Table) noteOf(c *explore.Report) string {
	verdict, reason := c.Verdict()
	if reason.None() {
		return ""
	}
	return t.in(lang.New("%v: %v", verdict, reason))
}

// noted appends the number of a cell's note, from 1, if it has one.
func (t *Table) noted(text string, c *explore.Report) string {
	if n := slices.Index(t.Notes, t.noteOf(c)) + 1; n > 0 {
		text += fmt.Sprintf(" [%d]", n)
	}
	return text
}

// Sign is a verdict in one character.
func Sign(v explore.Verdict) string {
	switch v {
	case explore.Violated:
		return "x"
	case explore.Holds:
		return "="
	case explore.Vacuous:
		return "-"
	}
	return "?"
}

// Short is a cell of the text table.
func (t *Table) Short(c *explore.Report) string {
	v, _ := c.Verdict()
	text := Sign(v) + " "
	switch v {
	case explore.Violated:
		text += c.Code(&c.Found[0])
		if more := len(c.Found) - 1; more > 0 {
			text += fmt.Sprintf(" +%d", more)
		}
		return t.noted(text, c)
	case explore.Holds:
		return text + fmt.Sprint(c.States)
	case explore.Vacuous:
		return t.noted(text+"vac", c)
	}
	return t.noted(text+"inc", c)
}

// Signs and words tell verdicts apart as well.
var colours = map[explore.Verdict]string{explore.Violated: "31", explore.Holds: "32", explore.Vacuous: "2", explore.Inconclusive: "33"}

func (t *Table) paint(c *explore.Report, text string) string {
	if !t.Colour {
		return text
	}
	v, _ := c.Verdict()
	return "\x1b[" + colours[v] + "m" + text + "\x1b[0m"
}

// Text writes the table for a terminal, with the hazards that do not fit below
// the others.
func (t *Table) Text() string {
	var b strings.Builder
	first, most := 0, maxColumns
	if t.Width > 0 {
		most = min(most, t.Width)
	}
	for _, id := range t.locks {
		first = max(first, len(id))
	}
	widths := make([]int, len(t.Hazards))
	for i := range t.cells {
		c, h := &t.cells[i], i%len(t.Hazards)
		upper, lower := heading(t.Hazards[h])
		widths[h] = max(widths[h], len(t.Short(c)), len(upper), len(lower))
	}
	for from := 0; from < len(t.Hazards); {
		to, width := from, first
		for to < len(widths) && (to == from || width+1+widths[to] <= most) {
			width += 1 + widths[to]
			to++
		}
		t.band(&b, first, widths, from, to)
		from = to
	}
	t.legend(&b)
	return b.String()
}

// heading breaks a hazard's name into two lines.
func heading(hazard string) (upper, lower string) {
	if before, after, ok := strings.Cut(hazard, "-"); ok {
		return before + "-", after
	}
	return "", hazard
}

// band writes the columns of some hazards.
func (t *Table) band(b *strings.Builder, first int, widths []int, from, to int) {
	line := func(name string, cell func(h int) (plain, painted string)) {
		text := name + strings.Repeat(" ", first-ansi.StringWidth(name))
		for h := from; h < to; h++ {
			plain, painted := cell(h)
			text += " " + painted + strings.Repeat(" ", widths[h]-len(plain))
		}
		if text = strings.TrimRight(text, " "); text != "" { // no heading has two lines
			fmt.Fprintln(b, text)
		}
	}
	line("", func(h int) (string, string) { upper, _ := heading(t.Hazards[h]); return upper, upper })
	line(t.in(lang.New("lock")), func(h int) (string, string) { _, lower := heading(t.Hazards[h]); return lower, lower })
	for i, lock := range t.locks {
		line(lock, func(h int) (string, string) {
			c := &t.cells[i*len(t.Hazards)+h]
			return t.Short(c), t.paint(c, t.Short(c))
		})
	}
	fmt.Fprintln(b)
}

func (t *Table) legend(b *strings.Builder) {
	for _, line := range []lang.Message{
		lang.New("x ME 7    VIOLATED: 7 actions break the invariant ME; in 7/1, one is a fault; +2: two more break"),
		lang.New("= 58      HOLDS: in all of 58 states"),
		lang.New("- vac     VACUOUS: no violation, and this hazard does not apply: what it is about was not possible"),
		lang.New("? inc     INCONCLUSIVE: nothing broke until a limit ended the search"),
	} {
		t.explain(b, t.in(line))
	}
	for _, id := range t.broken {
		t.explain(b, fmt.Sprintf("%-9s %s", history.Short(id), id))
	}
	for i, note := range t.Notes {
		t.explain(b, fmt.Sprintf("%-9s %s", fmt.Sprintf("[%d]", i+1), note))
	}
}

// explain writes a line of the legend, whose first words fill the first columns; what does
// not fit goes on below the others.
func (t *Table) explain(b *strings.Builder, line string) {
	const first = 10
	if t.Width > 2*first {
		line = line[:first] + strings.ReplaceAll(ansi.Wordwrap(line[first:], t.Width-first, ""), "\n", "\n"+strings.Repeat(" ", first))
	}
	fmt.Fprintln(b, line)
}

// Markdown writes the table of docs/matrix.md.
func (t *Table) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "| %s | %s |\n|---%s|\n", t.in(lang.New("lock")), strings.Join(t.Hazards, " | "), strings.Repeat("|---", len(t.Hazards)))
	for i, lock := range t.locks {
		fmt.Fprintf(&b, "| %s |", lock)
		for h := range t.Hazards {
			fmt.Fprintf(&b, " %s |", t.Long(&t.cells[i*len(t.Hazards)+h]))
		}
		fmt.Fprintln(&b)
	}
	fmt.Fprintln(&b)
	var names []string
	for _, id := range t.broken {
		names = append(names, history.Short(id)+" "+id)
	}
	if len(names) > 0 {
		fmt.Fprintf(&b, "%s\n\n", t.in(lang.New("**ME 7**: seven actions break mutual-exclusion; in 7/1, one of them is a fault. %s.", lang.Names(names))))
	}
	for i, note := range t.Notes {
		fmt.Fprintf(&b, "%d. %s\n", i+1, note)
	}
	return b.String()
}

// Long is a cell of the Markdown table, in words.
func (t *Table) Long(c *explore.Report) string {
	switch v, _ := c.Verdict(); v {
	case explore.Violated:
		var codes []string
		for i := range c.Found {
			codes = append(codes, "**"+c.Code(&c.Found[i])+"**")
		}
		return t.noted(strings.Join(codes, ", "), c)
	case explore.Holds:
		return t.in(lang.New("holds (%d)", c.States))
	case explore.Vacuous:
		return t.noted(t.in(lang.New("vacuous")), c)
	}
	return t.noted(t.in(lang.New("inconclusive")), c)
}
