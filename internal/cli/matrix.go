package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/spf13/cobra"

	"lockstep/internal/lang"
	"lockstep/internal/matrix"
	"lockstep/scenarios"
	"lockstep/sim/explore"
	"lockstep/sim/history"
	"lockstep/strategies"
)

type matrixFlags struct {
	locks, hazards      []string
	states, depth, jobs count
	memory              size
	json, markdown      bool
}

// newMatrixFlags returns the defaults.
func newMatrixFlags() matrixFlags {
	return matrixFlags{
		states: optional(1, statesFlag().most), depth: depthFlag(),
		jobs: count{runtime.GOMAXPROCS(0), 1, 1024}, memory: memoryFlag(),
	}
}

func (a *app) matrixCommand() *cobra.Command {
	f := newMatrixFlags()
	cmd := &cobra.Command{
		Use:   "matrix",
		Short: "Explore every lock under every hazard",
		Long: `Matrix explores every lock under every hazard and prints a table. A cell holds
the verdict: VIOLATED with the invariant that breaks with the fewest faults and
then the fewest steps, HOLDS with the number of states, or the reason for any
other verdict. lockstep explore has the details of one cell.

A limit that ends a search without a violation makes its cell INCONCLUSIVE. This
is not a pass, and the exit code is 1. A cell ends beyond 50000 states if
something is violated by then, and beyond 500000 if nothing is; --states N
replaces both.`,
		Example: `  lockstep matrix
  lockstep matrix --locks set-del,set-lua --hazards overrun,crash
  lockstep matrix --states 1000000 --markdown
  lockstep matrix --json`,
		Args:              none,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, _ []string) error { return a.matrix(cmd, f) },
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&f.locks, "locks", nil, "only these `LOCKS`, with commas between them")
	flags.StringSliceVar(&f.hazards, "hazards", nil, "only these `HAZARDS`, with commas between them")
	flags.Var(&f.states, "states", "give up a cell beyond `N` states, with or without a violation")
	flags.Var(&f.depth, "depth", "give up a cell beyond `N` actions")
	flags.Var(&f.memory, "memory", "give up a cell when the cells at work take `SIZE` of memory, as 512MiB")
	flags.Var(&f.jobs, "jobs", "compute `N` cells at the same time")
	flags.BoolVar(&f.json, "json", false, "print a line of JSON for each cell")
	flags.BoolVar(&f.markdown, "markdown", false, "print a table in Markdown")
	complete(cmd, "locks", a.completeLock)
	complete(cmd, "hazards", a.completeHazard)
	a.takesGuests(cmd)
	return cmd
}

func (a *app) matrix(cmd *cobra.Command, f matrixFlags) error {
	if err := exclude(cmd, "json", "markdown"); err != nil {
		return err
	}
	cells, hazards, err := a.exploreMatrix(cmd, f)
	if err != nil {
		return err
	}
	if err := a.printMatrix(cells, hazards, f); err != nil {
		return err
	}
	if cmd.Context().Err() != nil {
		return matrixInterrupted(cells)
	}
	reports := make([]explore.Report, len(cells))
	for i, c := range cells {
		reports[i] = c.Report
	}
	return judge("matrix", reports, false)
}

// matrixInterrupted is the error for an interrupted matrix.
func matrixInterrupted(cells []explore.Cell) error {
	done := 0
	for _, c := range cells {
		if c.Report.Limit != "interrupt" {
			done++
		}
	}
	return interrupted("matrix", done, len(cells))
}

// exploreMatrix explores the flags' locks and hazards, lock by lock. It also
// returns the number of hazards.
func (a *app) exploreMatrix(cmd *cobra.Command, f matrixFlags) ([]explore.Cell, int, error) {
	locks, err := a.matrixLocks(f.locks)
	if err != nil {
		return nil, 0, err
	}
	hazards, err := findHazards(f.hazards)
	if err != nil {
		return nil, 0, err
	}
	limits := explore.Bounds{States: matrix.States, Unbroken: matrix.Unbroken, Depth: f.depth.value, Memory: int(f.memory)}
	if f.states.value > 0 {
		limits.States, limits.Unbroken = f.states.value, 0
	}
	defer limitMemory(f.memory)()
	tell, erase := a.progress()
	// The last locks of the catalogue have the most states. Started first, they
	// leave the short rows to idle workers.
	slices.Reverse(locks)
	cells, err := explore.Matrix(cmd.Context(), locks, hazards, []string{"A", "B"}, limits, f.jobs.value, tell)
	erase()
	if err != nil {
		return nil, 0, unexpected(err)
	}
	return lastRowFirst(cells, len(hazards)), len(hazards), nil
}

// lastRowFirst reverses the rows.
func lastRowFirst(cells []explore.Cell, columns int) []explore.Cell {
	rows := slices.Collect(slices.Chunk(cells, columns))
	slices.Reverse(rows)
	return slices.Concat(rows...)
}

func (a *app) printMatrix(cells []explore.Cell, hazards int, f matrixFlags) error {
	if f.json {
		return a.matrixJSON(cells)
	}
	t := newMatrixTable(cells, hazards, a.in)
	t.colour = !a.noColor && os.Getenv("NO_COLOR") == "" && isTerminal(a.stdout)
	text := t.text
	if f.markdown {
		text = t.markdown
	}
	_, err := a.out.WriteString(text())
	return err
}

// matrixLocks returns the named locks, each once, or all if none is named, those
// of --with last.
func (a *app) matrixLocks(names []string) ([]explore.Lock, error) {
	if len(names) == 0 {
		for _, info := range strategies.Catalogue() {
			names = append(names, info.ID)
		}
		names = append(names, a.guests...)
	}
	var locks []explore.Lock
	known := map[string]bool{}
	for _, name := range names {
		if err := a.knowLock(name); err != nil {
			return nil, err
		}
		subject, err := scenarios.SubjectOf(name)
		if err != nil {
			return nil, err
		}
		if !known[name] {
			locks = append(locks, explore.Lock{ID: name, Subject: subject})
		}
		known[name] = true
	}
	return locks, nil
}

// progress counts cells on stderr if that is a terminal. erase removes the line.
func (a *app) progress() (tell func(done, total int, c explore.Cell), erase func()) {
	if !isTerminal(a.stderr) {
		return nil, func() {}
	}
	tell = func(done, total int, c explore.Cell) {
		a.progressLine(lang.New("%s %d of %d cells, %s", bar(done, total), done, total, c.Lock))
	}
	return tell, a.eraseProgress
}

// bar draws a progress bar.
func bar(done, total int) string {
	const width = 20
	full := width * done / max(1, total)
	return "[" + strings.Repeat("#", full) + strings.Repeat(".", width-full) + "]"
}

func (a *app) matrixJSON(cells []explore.Cell) error {
	enc := json.NewEncoder(a.out)
	enc.SetEscapeHTML(false)
	for i := range cells {
		if err := enc.Encode(newCellRow(cells[i].Lock, &cells[i].Report)); err != nil {
			return err
		}
	}
	return nil
}

// maxColumns bounds the width of a table.
const maxColumns = 100

// A matrixTable writes a matrix as a table.
type matrixTable struct {
	colour  bool
	in      func(any) string // translates
	locks   []string
	hazards []string
	cells   []cellRow // lock by lock
	notes   []string  // each reason once
	broken  []string  // invariants that occur, in their order
}

func newMatrixTable(cells []explore.Cell, hazards int, in func(any) string) *matrixTable {
	t := &matrixTable{in: in}
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
		if note := t.noteOf(row); note != "" && !slices.Contains(t.notes, note) {
			t.notes = append(t.notes, note)
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
func (t *matrixTable) noteOf(c cellRow) string {
	if c.Reason == "" {
		return ""
	}
	return t.in(lang.New("%v: %v", c.Verdict, c.reason))
}

// noted appends the number of a cell's note, from 1, if it has one.
func (t *matrixTable) noted(text string, c cellRow) string {
	if n := slices.Index(t.notes, t.noteOf(c)) + 1; n > 0 {
		text += fmt.Sprintf(" [%d]", n)
	}
	return text
}

// short is a cell of the text table.
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

// Signs and words tell verdicts apart as well.
var colours = map[explore.Verdict]string{explore.Violated: "31", explore.Holds: "32", explore.Vacuous: "2", explore.Inconclusive: "33"}

func (t *matrixTable) paint(c cellRow, text string) string {
	if !t.colour {
		return text
	}
	return "\x1b[" + colours[c.Verdict] + "m" + text + "\x1b[0m"
}

// text writes the table for a terminal, with the hazards that do not fit below
// the others.
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

// heading breaks a hazard's name into two lines.
func heading(hazard string) (upper, lower string) {
	if before, after, ok := strings.Cut(hazard, "-"); ok {
		return before + "-", after
	}
	return "", hazard
}

// band writes the columns of some hazards.
func (t *matrixTable) band(b *strings.Builder, first int, widths []int, from, to int) {
	line := func(name string, cell func(h int) (plain, painted string)) {
		text := name + strings.Repeat(" ", first-lipgloss.Width(name))
		for h := from; h < to; h++ {
			plain, painted := cell(h)
			text += " " + painted + strings.Repeat(" ", widths[h]-len(plain))
		}
		if text = strings.TrimRight(text, " "); text != "" { // no heading has two lines
			fmt.Fprintln(b, text)
		}
	}
	line("", func(h int) (string, string) { upper, _ := heading(t.hazards[h]); return upper, upper })
	line(t.in(lang.New("lock")), func(h int) (string, string) { _, lower := heading(t.hazards[h]); return lower, lower })
	for i, lock := range t.locks {
		line(lock, func(h int) (string, string) {
			c := t.cells[i*len(t.hazards)+h]
			return t.short(c), t.paint(c, t.short(c))
		})
	}
	fmt.Fprintln(b)
}

func (t *matrixTable) legend(b *strings.Builder) {
	for _, line := range []lang.Message{
		lang.New("x ME 7    VIOLATED: 7 steps break the invariant ME; in 7/1, one is a fault; +2: two more are broken"),
		lang.New("= 58      HOLDS: in all of 58 states"),
		lang.New("- vac     VACUOUS: nothing broke, and what the hazard is about never came to pass"),
		lang.New("? inc     INCONCLUSIVE: nothing broke until a limit ended the search"),
	} {
		fmt.Fprintln(b, t.in(line))
	}
	for _, id := range t.broken {
		fmt.Fprintf(b, "%-9s %s\n", matrix.Shorts[id], id)
	}
	for i, note := range t.notes {
		fmt.Fprintf(b, "%-9s %s\n", fmt.Sprintf("[%d]", i+1), note)
	}
}

// markdown writes the table of docs/matrix.md.
func (t *matrixTable) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "| %s | %s |\n|---%s|\n", t.in(lang.New("lock")), strings.Join(t.hazards, " | "), strings.Repeat("|---", len(t.hazards)))
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
		names = append(names, matrix.Shorts[id]+" "+id)
	}
	if len(names) > 0 {
		fmt.Fprintf(&b, "%s\n\n", t.in(lang.New("**ME 7**: seven steps break mutual-exclusion; in 7/1, one of them is a fault. %s.", lang.Names(names))))
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
		return t.in(lang.New("holds (%d)", c.States))
	case explore.Vacuous:
		return t.noted(t.in(lang.New("vacuous")), c)
	}
	return t.noted(t.in(lang.New("inconclusive")), c)
}
