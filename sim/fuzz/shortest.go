package fuzz

import (
	"context"
	"errors"
	"slices"

	"lockstep/sim/explore"
	"lockstep/sim/program"
)

// proveShortest explores, in the order of fewest faults and then fewest steps,
// with as many faults as the costliest of what was found, and says of each
// whether it is shortest. Where the exploration finds a shorter schedule and
// shows that it is shortest, that takes the place of what was found.
func (h *hunt) proveShortest(ctx context.Context) error {
	b := h.bounds
	b.States, b.Memory, b.Budget = h.options.States, h.options.Memory, 0
	longest := 0
	for i := range h.report.Found {
		f := &h.report.Found[i]
		b.Budget = max(b.Budget, h.report.Faults(f))
		longest = max(longest, len(f.Schedule))
	}
	if b.Budget == 0 { // otherwise a longer schedule might do with fewer faults
		b.Depth = min(b.Depth, longest+1)
	}
	r, err := explore.Explore(ctx, h.config, h.subject, b, explore.Options{Jobs: h.options.Jobs})
	if err != nil {
		return err
	}
	for i := range h.report.Found {
		if err := h.compare(ctx, &h.report.Found[i], r.Found); err != nil {
			return err
		}
	}
	return nil
}

// compare holds a schedule against what was explored.
func (h *hunt) compare(ctx context.Context, f *explore.Found, explored []explore.Found) error {
	i := slices.IndexFunc(explored, func(g explore.Found) bool { return g.Violation.Invariant == f.Violation.Invariant })
	if i < 0 || !explored[i].Shortest {
		return nil
	}
	g := explored[i]
	played, err := violate(ctx, h.config, h.subject, h.bounds, g.Schedule, g.Violation.Invariant)
	var stuck *program.StuckError
	switch {
	case errors.As(err, &stuck):
		return nil
	case err != nil:
		return err
	case played == nil || h.report.Faults(played) != h.report.Faults(&g) || len(played.Schedule) != len(g.Schedule):
		return nil // the explorer's word is not enough
	case h.report.Faults(f) == h.report.Faults(&g) && len(f.Schedule) == len(g.Schedule):
	default:
		*f = *played
	}
	f.Shortest = true
	return nil
}
