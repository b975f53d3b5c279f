package cli

import (
	"context"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"lockstep/internal/cache"
	"lockstep/internal/lang"
	"lockstep/internal/matrix"
	"lockstep/internal/pieces"
	"lockstep/sim/explore"
	"lockstep/strategies"
	"lockstep/tui"
)

type matrixFlags struct {
	exploreFlags
	locks    []string
	markdown bool
	cutFlags
}

// newMatrixFlags returns the defaults.
func newMatrixFlags() matrixFlags {
	return matrixFlags{exploreFlags: newExploreFlags(optional(1, statesFlag().most), depthFlag())}
}

func (a *app) matrixCommand() *cobra.Command {
	f := newMatrixFlags()
	cmd := withoutArguments("matrix", func(cmd *cobra.Command) error { return a.matrix(cmd, f) })
	cmd.ValidArgsFunction = cobra.NoFileCompletions
	f.takes(cmd, "hazards clients rounds faults states depth memory jobs json first exact fresh")
	takes(cmd, "locks", &f.locks, "markdown", &f.markdown)
	takesParts(cmd, &f.cutFlags)
	a.takesGuests(cmd)
	return cmd
}

func (a *app) matrix(cmd *cobra.Command, f matrixFlags) error {
	job, err := a.matrixJob(cmd, f)
	if err != nil {
		return err
	}
	return a.inParts(cmd, f.cutFlags, job, f.machine(), f.first, func(w *pieces.Whole) error { return a.reportMatrix(cmd, f, job, w) })
}

// matrixJob is the work that the command line asks for. Without --states a cell ends as one
// of the walkthrough does.
func (a *app) matrixJob(cmd *cobra.Command, f matrixFlags) (pieces.Job, error) {
	locks, err := a.matrixLocks(f.locks)
	if err != nil {
		return pieces.Job{}, err
	}
	j, err := f.job(cmd, locks)
	j.What = pieces.Matrix
	if f.states.value < 0 {
		j.States, j.Unbroken = matrix.States, matrix.Unbroken
	}
	return j, err
}

// reportMatrix explores the matrix, or puts together what was explored in parts, prints it,
// and turns it into the exit code.
func (a *app) reportMatrix(cmd *cobra.Command, f matrixFlags, job pieces.Job, whole *pieces.Whole) error {
	cells, err := a.matrixCells(cmd, f, job, whole)
	if err != nil {
		return err
	}
	if err := a.printMatrix(cells, len(job.Hazards), f); err != nil {
		return err
	}
	if cmd.Context().Err() != nil {
		return interrupted("matrix", len(cells)-endedBy(explore.Interrupt, cells), len(cells))
	}
	if f.first {
		cells = onlyViolated(cells)
	}
	return judge("matrix", cells, false)
}

func (a *app) matrixCells(cmd *cobra.Command, f matrixFlags, job pieces.Job, whole *pieces.Whole) ([]explore.Report, error) {
	if whole == nil {
		return a.exploreMatrix(cmd, f, job)
	}
	cells, err := whole.Cells(cmd.Context())
	if err != nil {
		return nil, unexpected(err)
	}
	return cells, nil
}

// exploreMatrix explores locks under hazards, lock by lock.
func (a *app) exploreMatrix(cmd *cobra.Command, f matrixFlags, job pieces.Job) ([]explore.Report, error) {
	locks, hazards, err := job.Axes()
	if err != nil {
		return nil, err
	}
	shelf, err := a.openCache(f.fresh, !f.markdown)
	if err != nil {
		return nil, err
	}
	defer limitMemory(f.memory)()
	decided := rows{all: job.Locks, hazards: job.Hazards, signs: map[string]string{}}
	ctx, end := context.WithCancel(cmd.Context())
	defer end()
	progress := func(done, total int, c explore.Report) {
		if f.first && len(c.Found) > 0 && cache.Replay(cmd.Context(), &c, true) {
			end()
		}
		decided.decide(&c)
		a.progressBelow(decided.lines, lang.New("%s %d of %d cells, %s", bar(done, total), done, total, c.Config.Strategy))
	}
	ask := func(l explore.Lock, h explore.Hazard) explore.Question { return job.Question(l, h, int(f.memory)) }
	cells, err := explore.Matrix(ctx, computingOrder(locks), hazards, ask, f.jobs.value, shelf, progress)
	a.eraseProgress()
	if err != nil {
		return nil, unexpected(err)
	}
	for i := range cells {
		if r := &cells[i]; r.Limit == explore.Interrupt && cmd.Context().Err() == nil {
			r.Limit = explore.FirstViolation
		}
	}
	return inOrder(cells, job.Locks), nil
}

func (a *app) printMatrix(cells []explore.Report, hazards int, f matrixFlags) error {
	if f.json {
		for i := range cells {
			if err := a.object(cellRow(&cells[i]), ""); err != nil {
				return err
			}
		}
		return nil
	}
	t := matrix.NewTable(cells, hazards, a.in)
	t.Colour = !a.noColor && os.Getenv("NO_COLOR") == "" && isTerminal(a.stdout)
	t.Width, _ = tui.SizeOf(a.stdout)
	text := t.Text
	if f.markdown {
		text = t.Markdown
	}
	if _, err := a.out.WriteString(text()); err != nil {
		return err
	}
	a.sayCached(cells, f.markdown)
	if left := endedBy(explore.FirstViolation, cells); left > 0 && !f.markdown {
		a.say("%-9s %v", "", lang.New("%d of %d cells were not searched to their end, since --first ended the matrix", left, len(cells)))
	}
	return nil
}

// sayCached says how much of a table is from the cache: below it, or on stderr, where
// the table is for a page.
func (a *app) sayCached(cells []explore.Report, apart bool) {
	oldest, cached := time.Time{}, 0
	for i := range cells {
		at := cells[i].Since
		if at.IsZero() {
			continue
		}
		if cached++; oldest.IsZero() || at.Before(oldest) {
			oldest = at
		}
	}
	switch text := lang.New("%d of %d cells were cached, computed on %s or later; --fresh computes them anew", cached, len(cells), onDay(oldest)); {
	case cached == 0:
	case apart:
		a.complain(text)
	default:
		a.say("%-9s %v", "", text)
	}
}

// matrixLocks returns the named locks, each once, or all if none is named, those
// of --with last.
func (a *app) matrixLocks(names []string) (locks []string, err error) {
	if len(names) == 0 {
		return append(strategies.IDs(), a.guests...), nil
	}
	for _, name := range names {
		if err := a.knowLock(name); err != nil {
			return nil, err
		}
		if !slices.Contains(locks, name) {
			locks = append(locks, name)
		}
	}
	return locks, nil
}

// bar draws a progress bar.
func bar(done, total int) string {
	const width = 20
	full := width * done / max(1, total)
	return "[" + strings.Repeat("#", full) + strings.Repeat(".", width-full) + "]"
}
