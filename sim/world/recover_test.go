package world_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/sim/history"
	"lockstep/sim/program"
	"lockstep/sim/world"
	"lockstep/strategies"
)

// TestALockThatNobodyEverAcquires violates lock-recovers from the start, and no
// later action is a cause.
func TestALockThatNobodyEverAcquires(t *testing.T) {
	type lock = func(context.Context, strategies.Env) (strategies.Grant, error)
	always := func(err error) lock {
		return func(context.Context, strategies.Env) (strategies.Grant, error) { return strategies.Grant{}, err }
	}
	for name, tt := range map[string]struct {
		lock   lock
		detail string
	}{
		"refuses":       {always(strategies.ErrNotAcquired), "the last attempt was refused"},
		"fails":         {always(errors.New("no such thing")), "the last attempt failed: no such thing"},
		"does not know": {always(strategies.ErrUnknown), "the last attempt failed: lock: outcome unknown"},
		"panics":        {func(context.Context, strategies.Env) (strategies.Grant, error) { panic("boom") }, "the code panicked: boom"},
		"exits":         {func(context.Context, strategies.Env) (strategies.Grant, error) { runtime.Goexit(); panic("no") }, "within 1m40s"},
		"takes it, then errs": {func(ctx context.Context, e strategies.Env) (strategies.Grant, error) {
			return strategies.Grant{}, errors.Join(e.Redis.Set(ctx, e.Key, "mine", 0).Err(), errors.New("oh"))
		}, "still mine after 1m40s, no TTL"},
	} {
		for _, schedule := range []string{"", "A", "B A +1000", "A A.crash"} {
			if name == "panics" || name == "exits" || name == "takes it, then errs" {
				schedule = strings.TrimSuffix(schedule, " A.crash") // A is dead or done already
			}
			v := orphan(t, mutantOf(tt.lock, del), schedule)
			if v == nil || !v.FromTheStart() || v.Client != "" || len(v.Causes) > 0 || !strings.Contains(v.Detail.String(), tt.detail) {
				t.Errorf("%s, %q: %+v; want it from the start, with %q", name, schedule, v, tt.detail)
			}
		}
	}
}

// orphan plays a schedule and decides lock-recovers at its end.
func orphan(t *testing.T, s program.Subject, schedule string) *history.Violation {
	t.Helper()
	actions := testkit.Must(history.ParseSchedule(schedule))(t)
	c := history.Default()
	c.Strategy = "mine"
	w := testkit.Must(world.New(c, s))(t)
	defer w.Close()
	testkit.OK(t, w.Run(actions))
	v := testkit.Must(world.FindOrphan(t.Context(), w.History(), s))(t)
	return v
}
