package scenarios

import (
	"context"
	"slices"

	"lockstep/sim/history"
)

// Superfluous returns which actions of a schedule could be left out, all of
// them together, so that the rest still violates the invariant. It is greedy:
// each action in turn is left out for good if the violation stays. What then
// remains need not be the shortest schedule that there is.
func Superfluous(ctx context.Context, config history.Config, s history.Schedule, invariant string) ([]int, error) {
	var out []int
	for i := len(s) - 1; i >= 0; i-- {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		var rest history.Schedule
		for j, a := range s {
			if j != i && !slices.Contains(out, j) {
				rest = append(rest, a)
			}
		}
		// An action that is no longer possible only says that this one is needed.
		if broken, err := violates(ctx, config, rest, invariant); err == nil && broken {
			out = append(out, i)
		}
	}
	slices.Reverse(out)
	return out, nil
}

// violates says whether a schedule breaks an invariant.
func violates(ctx context.Context, config history.Config, s history.Schedule, invariant string) (bool, error) {
	r, err := replayed(ctx, config, s)
	if err != nil {
		return false, err
	}
	defer r.w.Close()
	if invariant == history.LockRecovers {
		if err := r.checkRecovery(); err != nil {
			return false, err
		}
	}
	return slices.ContainsFunc(r.found, func(v history.Violation) bool { return v.Invariant == invariant }), nil
}
