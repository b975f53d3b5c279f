package matrix

import (
	"context"

	"lockstep/internal/lang"
	"lockstep/scenarios"
	"lockstep/sim/explore"
	"lockstep/tui/pages"
)

// Explorer is what a learner is held against.
func Explorer(limits explore.Bounds, jobs int) *pages.Explorer {
	return &pages.Explorer{Shortest: func(ctx context.Context, l *scenarios.Level) (pages.Proof, error) {
		r, err := Level(ctx, l, limits, jobs)
		if err != nil {
			return pages.Proof{}, err
		}
		return Shortest(l, &r), nil
	}}
}

// Level explores a level: every schedule that its rules allow a learner.
func Level(ctx context.Context, l *scenarios.Level, limits explore.Bounds, jobs int) (explore.Report, error) {
	subject, err := scenarios.SubjectOf(l.Config.Strategy)
	if err != nil {
		return explore.Report{}, err
	}
	bounds := limits
	bounds.Faults, bounds.Budget, bounds.Ticks, bounds.Anywhere = l.FaultActions(), l.Faults, l.Times, !l.Waits
	if bounds.Anywhere {
		bounds.Leap = scenarios.Leap(l.Config)
	}
	return explore.Explore(ctx, l.Config, subject, bounds, explore.Options{Jobs: jobs})
}

// Shortest is what is known of the shortest schedule that reaches a level's goal.
func Shortest(l *scenarios.Level, r *explore.Report) pages.Proof {
	p := pages.Proof{States: r.States, Limit: lang.Word(r.Limit), Assumptions: r.Assumptions()}
	for i := range r.Found {
		if f := &r.Found[i]; f.Violation.Invariant == l.Goal {
			p.Schedule, p.Shortest = f.Schedule, f.Shortest
		}
	}
	return p
}
