package world_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/program"
	"lockstep/sim/world"
	"lockstep/strategies"
)

// A bulky lock sends long commands, starts many strands, or both.
type bulky struct {
	env     strategies.Env
	value   string
	strands int
}

func (b *bulky) Lock(ctx context.Context) (strategies.Grant, error) {
	for range b.strands {
		b.env.Go("idle", func() {})
	}
	_ = b.env.Redis.Set(ctx, b.env.Key, b.value, 0).Err()
	return strategies.Grant{}, strategies.ErrNotAcquired
}

func (b *bulky) Unlock(context.Context, strategies.Grant) error { return nil }

// TestBoundOfARun drives worlds to each bound, and reads their schedules back
// from a token.
func TestBoundOfARun(t *testing.T) {
	for _, test := range []struct {
		name    string
		bytes   int
		strands int
		actions []history.Action // repeated in turn
		message string
	}{
		{"actions", 1, 0, []history.Action{{Verb: history.Advance, By: 1}, {Verb: history.Jump, Client: "A", By: -1}}, "20000 actions"},
		{"bytes", 4 << 10, 0, []history.Action{{Verb: history.Step, Client: "A"}, {Verb: history.Advance, By: 1}}, "64 MiB"},
		{"strands", 1, 300, []history.Action{{Verb: history.Step, Client: "A"}, {Verb: history.Advance, By: 1}}, "10000"},
	} {
		t.Run(test.name, func(t *testing.T) {
			subject := program.Subject{Nodes: 1, New: func(env strategies.Env) strategies.Lock {
				return &bulky{env, strings.Repeat("x", test.bytes), test.strands}
			}}
			config := history.Default()
			config.Strategy, config.Wait, config.Poll = "own", 1000*history.Second, 1
			w, err := world.New(config, subject)
			testkit.OK(t, err)
			defer w.Close()
			for i := 0; err == nil; i++ {
				err = w.Perform(test.actions[i%len(test.actions)])
			}
			if !errors.Is(err, world.ErrTooLong) || !strings.Contains(err.Error(), test.message) {
				t.Fatalf("after %d actions: %v; want ErrTooLong and %q", len(w.History().Schedule), err, test.message)
			}
			h := w.History()
			c, s, err := history.ParseToken(history.Token(h.Config, h.Schedule))
			if err != nil || c.String() != h.Config.String() || !slices.Equal(s, h.Schedule) {
				t.Errorf("the token of a run that is as long as can be: %v", err)
			}
		})
	}
}

// TestRecoveryOfALongRun decides a recovery that would exceed a run's memory.
func TestRecoveryOfALongRun(t *testing.T) {
	subject := program.Subject{Nodes: 1, New: func(env strategies.Env) strategies.Lock {
		return &bulky{env, strings.Repeat("x", 4<<10), 0}
	}}
	config := history.Default()
	config.Strategy, config.Wait, config.Poll = "own", 1000*history.Second, 1
	ok, _, err := world.Recovers(t.Context(), config, subject, nil)
	if ok || !errors.Is(err, sim.ErrUndecided) || !errors.Is(err, world.ErrTooLong) {
		t.Errorf("recovers: %t, %v; want ErrUndecided by ErrTooLong", ok, err)
	}
}
