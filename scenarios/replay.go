package scenarios

import (
	"context"

	"lockstep/internal/lang"
	"lockstep/sim/history"
	"lockstep/sim/world"
)

// Replay plays a configuration and a schedule, as a token holds them. For ctx
// see Run.
func Replay(ctx context.Context, config history.Config, schedule history.Schedule) (*Result, error) {
	r, err := replayed(ctx, config, schedule)
	if err != nil {
		return nil, err
	}
	defer r.w.Close()
	if err := r.checkRecovery(); err != nil {
		return nil, err
	}
	return r.result(), nil
}

// replayed is a run at the end of a schedule. Its world has to be closed.
func replayed(ctx context.Context, config history.Config, schedule history.Schedule) (*runner, error) {
	r, err := newRunner(&stage{ctx: ctx, open: world.New}, config)
	if err != nil {
		return nil, err
	}
	for i, a := range schedule {
		if err := r.perform(a); err != nil {
			r.w.Close()
			return nil, lang.Errorf("action %d of the schedule: %w", i+1, err)
		}
	}
	return r, nil
}
