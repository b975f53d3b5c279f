// Package matrix computes the cells of the matrix and the shortest solutions of
// levels for the pages.
package matrix

import (
	"context"

	"lockstep/internal/lang"
	"lockstep/scenarios"
	"lockstep/sim/explore"
	"lockstep/sim/history"
	"lockstep/tui/pages"
)

// The bounds of a cell. In practice, a search finds a violation long before States.
// Until it has found one, it goes on to Unbroken, since a limit gives no verdict.
const (
	States   = 50_000
	Unbroken = 10 * States
	Depth    = 100
)

// Limits returns the bounds of a cell or a level. docs/matrix.md uses the same.
func Limits(memory int) explore.Bounds {
	return explore.Bounds{States: States, Unbroken: Unbroken, Depth: Depth, Memory: memory}
}

// Matrix returns the matrix of the pages, with nothing computed yet. What is on the
// shelf, if it is not nil, need not be.
func Matrix(locks []explore.Lock, hazards []explore.Hazard, limits explore.Bounds, jobs int, shelf explore.Shelf) *pages.Matrix {
	m := &pages.Matrix{Jobs: jobs}
	for _, l := range locks {
		m.Locks = append(m.Locks, l.ID)
	}
	for _, h := range hazards {
		m.Hazards = append(m.Hazards, h.ID)
	}
	m.Compute = func(ctx context.Context, report func(...explore.Report)) error {
		_, err := explore.Matrix(ctx, locks, hazards, explore.Within(limits, "A", "B"), jobs, shelf, func(_, _ int, c explore.Report) {
			if ctx.Err() == nil { // an interrupted search has no verdict
				report(c)
			}
		})
		return err
	}
	return m
}

// Explorer returns a pages.Explorer, which finds a level's shortest schedule.
func Explorer(limits explore.Bounds) pages.Explorer {
	return func(ctx context.Context, l *scenarios.Level) (pages.Proof, error) {
		r, err := Level(ctx, l, limits)
		if err != nil {
			return pages.Proof{}, err
		}
		return Shortest(l, &r), nil
	}
}

// Level explores every schedule that a level's rules allow after the moves that are made.
func Level(ctx context.Context, l *scenarios.Level, limits explore.Bounds) (explore.Report, error) {
	subject, err := scenarios.SubjectOf(l.Config.Strategy)
	if err != nil {
		return explore.Report{}, err
	}
	after, err := history.ParseSchedule(l.After)
	if err != nil {
		return explore.Report{}, err
	}
	return explore.Explore(ctx, l.Config, subject, boundsOf(l, limits), explore.Options{After: after})
}

// boundsOf are a level's rules, for the explorer.
func boundsOf(l *scenarios.Level, limits explore.Bounds) explore.Bounds {
	b := limits
	b.Faults, b.Budget, b.Ticks, b.Anywhere = l.FaultActions(), l.Faults, l.Times, !l.Waits
	b.Because = l.Because
	if b.Anywhere {
		b.Leap = scenarios.Leap(l.Config)
	}
	return b
}

// Shortest returns what a report says about the shortest schedule to a level's
// goal.
func Shortest(l *scenarios.Level, r *explore.Report) pages.Proof {
	p := pages.Proof{States: r.States, Limit: lang.Word(r.Limit), Assumptions: r.Assumptions()}
	if f := r.Of(l.Goal); f != nil {
		p.Schedule, p.Shortest = f.Schedule, f.Shortest
	}
	return p
}
