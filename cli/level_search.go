package cli

import (
	"context"
	"runtime"

	"lockstep/message"
	"lockstep/scenarios"
	"lockstep/sim/explore"
	"lockstep/tui/pages"
)

// exploreLevel explores a level of the walkthrough: every schedule that its rules
// allow a learner.
func exploreLevel(ctx context.Context, l *scenarios.Level) (explore.Report, error) {
	subject, err := scenarios.SubjectOf(l.Config.Strategy)
	if err != nil {
		return explore.Report{}, err
	}
	bounds := explore.Bounds{
		Faults: l.FaultActions(), Budget: l.Faults, Ticks: l.Times, Anywhere: !l.Waits,
		States: screenLimits.States, Depth: screenLimits.Depth, Unbroken: screenLimits.Unbroken, Memory: screenLimits.Memory,
	}
	if bounds.Anywhere {
		bounds.Leap = scenarios.Leap(l.Config)
	}
	return explore.Explore(ctx, l.Config, subject, bounds, explore.Options{Jobs: max(1, runtime.GOMAXPROCS(0)-1)})
}

// shortest is what is known of the shortest schedule that reaches a level's goal.
func shortest(ctx context.Context, l *scenarios.Level) (pages.Proof, error) {
	r, err := exploreLevel(ctx, l)
	if err != nil {
		return pages.Proof{}, err
	}
	p := pages.Proof{States: r.States, Limit: message.Word(r.Limit), Assumptions: r.Assumptions()}
	for i := range r.Found {
		if f := &r.Found[i]; f.Violation.Invariant == l.Goal {
			p.Schedule, p.Shortest = f.Schedule, f.Shortest
		}
	}
	return p, nil
}
