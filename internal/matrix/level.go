package matrix

import (
	"context"

	"lockstep/internal/lang"
	"lockstep/scenarios"
	"lockstep/sim/explore"
	"lockstep/tui/pages"
)

// Explorer compares a learner with the shortest schedule.
func Explorer(limits explore.Bounds, jobs int) *pages.Explorer {
	return &pages.Explorer{Shortest: func(ctx context.Context, l *scenarios.Level) (pages.Proof, error) {
		r, err := Level(ctx, l, limits, jobs)
		if err != nil {
			return pages.Proof{}, err
		}
		return Shortest(l, &r), nil
	}}
}

// Level explores every schedule that a level's rules allow.
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

// Shortest returns what a report says about the shortest schedule to a level's
// goal.
func Shortest(l *scenarios.Level, r *explore.Report) pages.Proof {
	p := pages.Proof{States: r.States, Limit: lang.Word(r.Limit), Assumptions: r.Assumptions()}
	for i := range r.Found {
		if f := &r.Found[i]; f.Violation.Invariant == l.Goal {
			p.Schedule, p.Shortest = f.Schedule, f.Shortest
		}
	}
	return p
}
