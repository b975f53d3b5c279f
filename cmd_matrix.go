package main

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"lockstep/scenarios"
	"lockstep/sim/explore"
	"lockstep/strategies"
)

type matrixFlags struct {
	locks, hazards      []string
	states, depth, jobs count
	memory              size
	json, markdown      bool
}

func (a *app) matrixCommand() *cobra.Command {
	f := matrixFlags{
		states: optional(1, statesFlag().most), depth: depthFlag(),
		jobs: count{runtime.GOMAXPROCS(0), 1, 1024}, memory: memoryFlag(),
	}
	cmd := &cobra.Command{
		Use:   "matrix",
		Short: "Explore every lock under every hazard",
		Long: `Matrix explores every lock under every hazard and prints a table. A cell holds
the verdict: VIOLATED with the invariant that takes the fewest faults and then
the fewest steps to break, HOLDS with the number of states, or a reason why
there is no more to say. lockstep explore tells more of one cell.

A limit that ends a search without a violation makes its cell INCONCLUSIVE,
which is no pass: the exit code is 1. A cell ends beyond 50000 states if
something is violated by then, and beyond 500000 if nothing is; --states N
puts N in place of both.`,
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
	flags.Var(&f.states, "states", "give up a cell beyond `N` states, whatever is violated by then")
	flags.Var(&f.depth, "depth", "give up a cell beyond `N` actions")
	flags.Var(&f.memory, "memory", "give up a cell when all at a time would take `SIZE` of memory, as 512MiB")
	flags.Var(&f.jobs, "jobs", "compute `N` cells at a time")
	flags.BoolVar(&f.json, "json", false, "print one JSON object a line, one for each cell")
	flags.BoolVar(&f.markdown, "markdown", false, "print a table in Markdown")
	complete(cmd, "locks", a.completeLock)
	complete(cmd, "hazards", a.completeHazard)
	return cmd
}

func (a *app) matrix(cmd *cobra.Command, f matrixFlags) error {
	if err := exclude(cmd, "json", "markdown"); err != nil {
		return err
	}
	locks, err := matrixLocks(f.locks)
	if err != nil {
		return err
	}
	hazards, err := findHazards(f.hazards)
	if err != nil {
		return err
	}
	limits := explore.Bounds{States: cellStates, Unbroken: unbrokenStates, Depth: f.depth.value, Memory: int(f.memory)}
	if f.states.value > 0 {
		limits.States, limits.Unbroken = f.states.value, 0
	}
	defer rarelyCollect(f.memory)()
	tell, erase := a.progress()
	// The last locks of the catalogue have the most to explore. Begun first,
	// they leave the short rows to whichever worker is free.
	slices.Reverse(locks)
	cells, err := explore.Matrix(cmd.Context(), locks, hazards, []string{"A", "B"}, limits, f.jobs.value, tell)
	erase()
	if err != nil {
		return unexpected(err)
	}
	cells = lastRowFirst(cells, len(hazards))
	if err := a.printMatrix(cells, len(hazards), f); err != nil {
		return err
	}
	if cmd.Context().Err() != nil {
		done := 0
		for _, c := range cells {
			if c.Report.Limit != "interrupt" {
				done++
			}
		}
		return interrupted("matrix", done, len(cells))
	}
	reports := make([]explore.Report, len(cells))
	for i, c := range cells {
		reports[i] = c.Report
	}
	return judge("matrix", reports, false)
}

// lastRowFirst turns the order of the rows round.
func lastRowFirst(cells []explore.Cell, columns int) []explore.Cell {
	rows := slices.Collect(slices.Chunk(cells, columns))
	slices.Reverse(rows)
	return slices.Concat(rows...)
}

func (a *app) printMatrix(cells []explore.Cell, hazards int, f matrixFlags) error {
	if f.json {
		return a.matrixJSON(cells)
	}
	t := newMatrixTable(cells, hazards)
	t.colour = !a.noColor && os.Getenv("NO_COLOR") == "" && isTerminal(a.stdout)
	text := t.text
	if f.markdown {
		text = t.markdown
	}
	_, err := a.out.WriteString(text())
	return err
}

// matrixLocks returns the locks of the given names, each once; all for none.
func matrixLocks(names []string) ([]explore.Lock, error) {
	if len(names) == 0 {
		for _, info := range strategies.Catalogue {
			names = append(names, info.ID)
		}
	}
	var locks []explore.Lock
	known := map[string]bool{}
	for _, name := range names {
		if _, err := findLock(name); err != nil {
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

// progress counts cells on stderr if somebody is there to see it. The line is
// erased in the end.
func (a *app) progress() (tell func(done, total int, c explore.Cell), erase func()) {
	if !isTerminal(a.stderr) {
		return nil, func() {}
	}
	tell = func(done, total int, c explore.Cell) {
		_, _ = fmt.Fprintf(a.stderr, "\r%s %d of %d cells, %s\x1b[K", bar(done, total), done, total, c.Lock)
	}
	return tell, func() { _, _ = fmt.Fprint(a.stderr, "\r\x1b[K") }
}

// bar draws how much is done of a whole.
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
