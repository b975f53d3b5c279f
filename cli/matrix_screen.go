package cli

import (
	"context"
	"runtime"

	"lockstep/message"
	"lockstep/sim/explore"
	"lockstep/tui/pages"
)

// screenLimits bound a cell of the walkthrough's matrix: a learner waits for
// it, and does other things meanwhile. That of docs/matrix.md has the same.
var screenLimits = explore.Bounds{States: cellStates, Unbroken: unbrokenStates, Depth: depthFlag().value, Memory: int(memoryFlag())}

// wholeMatrix is the matrix of the walkthrough. Nothing is computed yet. One
// processor is left to the screen, if there are several.
func (a *app) wholeMatrix() (*pages.Matrix, error) {
	locks, err := a.matrixLocks(nil)
	if err != nil {
		return nil, err
	}
	return newMatrix(locks, explore.Hazards, screenLimits, max(1, runtime.GOMAXPROCS(0)-1)), nil
}

func newMatrix(locks []explore.Lock, hazards []explore.Hazard, limits explore.Bounds, jobs int) *pages.Matrix {
	m := &pages.Matrix{Jobs: jobs}
	for _, l := range locks {
		m.Locks = append(m.Locks, l.ID)
	}
	for _, h := range hazards {
		m.Hazards = append(m.Hazards, h.ID)
	}
	m.Compute = func(ctx context.Context, report func(pages.Cell)) error {
		_, err := explore.Matrix(ctx, locks, hazards, []string{"A", "B"}, limits, jobs, func(_, _ int, c explore.Cell) {
			if ctx.Err() == nil { // an interrupted search has no verdict
				report(screenCell(c.Lock, &c.Report))
			}
		})
		return err
	}
	return m
}

func screenCell(lock string, r *explore.Report) pages.Cell {
	row := newCellRow(lock, r)
	c := pages.Cell{
		Lock: lock, Hazard: r.Hazard, Verdict: pages.Verdict(row.Verdict), Reason: row.reason, Limit: message.Word(r.Limit),
		States: r.States, Transitions: r.Transitions, Assumptions: r.Assumptions(), Config: r.Config,
	}
	for i := range r.Found {
		f := &r.Found[i]
		c.Found = append(c.Found, pages.Found{
			Code: row.broken[i], Violation: f.Violation, Schedule: f.Schedule, Faults: r.Faults(f), Shortest: f.Shortest,
		})
	}
	return c
}
