package world_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"

	"lockstep/internal/prose"
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
		"refuses":       {always(strategies.ErrNotAcquired), "B is refused; a new client is refused"},
		"fails":         {always(errors.New("no such thing")), "B fails: no such thing; a new client fails: no such thing"},
		"does not know": {always(strategies.ErrUnknown), "a new client fails: lock: outcome unknown"},
		"panics":        {func(context.Context, strategies.Env) (strategies.Grant, error) { panic("boom") }, "a new client fails: boom"},
		"exits":         {func(context.Context, strategies.Env) (strategies.Grant, error) { runtime.Goexit(); panic("no") }, "within 1m40s"},
		"takes it, then errs": {func(ctx context.Context, e strategies.Env) (strategies.Grant, error) {
			return strategies.Grant{}, errors.Join(e.Redis.Set(ctx, e.Key, "mine", 0).Err(), errors.New("oh"))
		}, "a new client fails: oh"},
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

// TestOrphanedByALoss: a lost reply is one action with the command that it answers, and what
// breaks is the loss.
func TestOrphanedByALoss(t *testing.T) {
	s := mutantOf(func(ctx context.Context, e strategies.Env) (strategies.Grant, error) {
		ok, err := e.Redis.SetNX(ctx, e.Key, e.Name, 0).Result()
		if !ok && err == nil {
			err = strategies.ErrNotAcquired
		}
		return strategies.Grant{}, err
	}, del)
	c := history.Default()
	c.Strategy = "mine"
	for _, schedule := range []string{"A A.lose-reply", "A A.lose-reply +1000", "A A A.crash", "A A A.crash B"} {
		w := testkit.Must(world.New(c, s))(t)
		defer w.Close()
		testkit.OK(t, w.Run(testkit.Must(history.ParseSchedule(schedule))(t)))
		v := testkit.Must(world.FindOrphan(t.Context(), w.History(), s))(t)
		if v == nil || w.History().Events[v.Seq].Kind != history.Fault {
			t.Errorf("%s: %+v, want it at the fault", schedule, v)
		}
	}
}

// TestWhatEachClientGot: A dies, or hangs, with a lock that has no TTL. Each way of asking for it has
// its words, also in Chinese; A gets none, and nor does D, which was done before.
func TestWhatEachClientGot(t *testing.T) {
	lock := func(ctx context.Context, e strategies.Env) (strategies.Grant, error) {
		for {
			ok, err := e.Redis.SetNX(ctx, e.Key, e.Name, 0).Result()
			switch {
			case ok || err != nil:
				return strategies.Grant{}, err
			case e.Name == "B":
				return strategies.Grant{}, strategies.ErrNotAcquired
			case e.Name == "C":
				return strategies.Grant{}, errors.New("no idea")
			}
			if err := e.Clock.Sleep(ctx, e.TTL/2); err != nil {
				return strategies.Grant{}, err
			}
		}
	}
	b := prose.Load("zh")
	s := mutantOf(lock, del)
	c := history.Default()
	c.Strategy, c.Clients = "mine", []string{"A", "B", "C", "D", "E"}
	for _, fault := range []string{"A.crash", "A.hang"} {
		w := testkit.Must(world.New(c, s))(t)
		defer w.Close()
		testkit.OK(t, w.Run(testkit.Must(history.ParseSchedule("D D D D D D D A A "+fault))(t)))
		v := testkit.Must(world.FindOrphan(t.Context(), w.History(), s))(t)
		if v == nil {
			t.Fatal("it recovers")
		}
		want := "still A after 1m40s, no TTL; B is refused; C fails: no idea; E waits; a new client waits"
		if v.Detail.String() != want {
			t.Errorf("%s: %s, want %s", fault, v.Detail, want)
		}
		if zh := v.Detail.In(b.Language()); !strings.HasSuffix(zh, "B：被拒绝；C：出错（no idea）；E：一直等着；新来的客户端：一直等着") {
			t.Errorf("%s: %s", fault, zh)
		}
	}
}
