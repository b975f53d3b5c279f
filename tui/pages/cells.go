package pages

import (
	"context"
	"slices"

	"lockstep/internal/lang"
	"lockstep/sim/history"
	"lockstep/tui/render"
)

// A Matrix is where the cells of the matrix screen come from. The walkthrough
// shows them and does not know how they are computed.
type Matrix struct {
	Locks, Hazards []string // the rows and columns, by id
	// Jobs is how many locks are under way at a time, in their order, each cell
	// by cell.
	Jobs  int
	Known []Cell // that there is nothing to compute of
	// Compute reports each other cell as soon as it is known, never two at a time. It
	// returns when all are, at the first error, or soon after ctx is done. It is nil
	// if there are none.
	Compute func(ctx context.Context, report func(Cell)) error
}

// A Verdict is what a cell says, or what it is before it says anything.
type Verdict = render.Verdict

// A Cell is what became of one lock under one hazard.
type Cell struct {
	Lock, Hazard        string
	Verdict             Verdict
	Reason              lang.Message // of a verdict that is neither VIOLATED nor HOLDS
	Limit               lang.Word    // what cut the search short; "" if nothing did
	Found               []Found      // the gravest first
	States, Transitions int
	Assumptions         lang.List      // the bounds, in one line
	Config              history.Config // of the world that Found's schedules are for
}

// A Found is one broken invariant of a cell, and a run that breaks it.
type Found struct {
	Code      string // "ME 7"; with faults "LR 3/1"
	Violation history.Violation
	Schedule  history.Schedule
	Faults    int
	Shortest  bool // no schedule has fewer faults, or as many and fewer steps
	// Allowed says why the contract of the lock does not exclude it; "" if it does.
	Allowed lang.Word
}

// outcome is the verdict, and what was found that matters most: what is not allowed,
// if there is any.
func (c *Cell) outcome() (v Verdict, worst int) {
	if len(c.Found) == 0 {
		return c.Verdict, 0
	}
	worst = slices.IndexFunc(c.Found, func(f Found) bool { return f.Allowed == "" })
	if worst < 0 {
		return render.Allowed, 0
	}
	return c.Verdict, worst
}

// cellDone is a cell that was computed.
type cellDone struct{ cell Cell }

// matrixDone is the end of the work, with the error that ended it, if one did.
type matrixDone struct{ err error }
