package pages

import (
	"context"
	"slices"

	"lockstep/sim/explore"
	"lockstep/tui/render"
)

// A Matrix is the source of the cells of the matrix page. The walkthrough shows them
// and does not know how they are computed.
type Matrix struct {
	Locks, Hazards []string // the rows and columns, by id
	// Jobs is how many locks are computed at a time, in their order, each cell by cell.
	Jobs  int
	Known []explore.Report // that there is nothing to compute of
	// Compute reports the other cells as soon as they are known. It returns when all are
	// known, at the first error, or soon after ctx is done. It is nil if there are none.
	Compute func(ctx context.Context, report func(...explore.Report)) error
	// Made is the program that has made what Compute reports, and Again computes all of it
	// anew; "" and nil where Compute does.
	Made  string
	Again func(ctx context.Context, report func(...explore.Report)) error
}

// verdictOf returns the verdict of a cell, and the index of the gravest violation that
// the contract excludes, if there is one.
func verdictOf(c *explore.Report) (v explore.Verdict, worst int) {
	v, _ = c.Verdict()
	if len(c.Found) == 0 {
		return v, 0
	}
	f := c.Worst()
	if f == nil {
		return render.Allowed, 0
	}
	return v, slices.IndexFunc(c.Found, func(g explore.Found) bool { return g.Violation.Invariant == f.Violation.Invariant })
}
