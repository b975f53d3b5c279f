package model

import (
	"context"
	"errors"
	"testing"
	"time"

	"lockstep/internal/testkit"
	"lockstep/internal/testkit/simtest"
	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/program"
	"lockstep/strategies"
)

// TestRecoversAsAlone: the answer for a state is that of a model which keeps no turn of
// other runs, also of code that polls without a pause.
func TestRecoversAsAlone(t *testing.T) {
	testkit.Single(t)
	polls := func(rounds int, pause time.Duration) program.Subject {
		return simtest.Made(func(ctx context.Context, e strategies.Env) error {
			for n := 0; simtest.Take(ctx, e, e.Token()[:1]) != nil; n++ {
				if n == rounds {
					e.Redis.Del(ctx, e.Key)
				}
				e.Clock.Sleep(ctx, pause)
			}
			return nil
		})
	}
	extends := simtest.Made(func(ctx context.Context, e strategies.Env) error { // a livelock
		for simtest.Take(ctx, e, e.Token()[:1]) != nil {
			e.Redis.PExpire(ctx, e.Key, e.TTL)
			e.Clock.Sleep(ctx, e.TTL/2)
		}
		return nil
	})
	for _, tt := range []struct {
		name    string
		subject program.Subject
	}{
		{"setnx", simtest.Subject(t, "setnx")}, {"set-lua", simtest.Subject(t, "set-lua")}, {"watchdog-lua", simtest.Subject(t, "watchdog-lua")},
		{"pubsub-wakeup", simtest.Subject(t, "pubsub-wakeup")}, {"list-semaphore", simtest.Subject(t, "list-semaphore")},
		{"a poll", polls(-1, 0)}, {"a short poll", polls(20, 0)}, {"a long poll", polls(60, 0)}, {"a slow poll", polls(30, history.Second.Duration())}, {"a livelock", extends},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := history.Default()
			c.Strategy, c.Clients, c.TTL, c.Work, c.Lag = tt.name, []string{"A", "B"}, 5*history.Second, 2*history.Second, 1
			m := New(t.Context(), c, tt.subject, false)
			defer m.Close()
			kinds := []history.Action{{Verb: history.Crash}, {Verb: history.Hang}, {Verb: history.Send}}
			var answers [3]int
			reached := m.reach(t, kinds, nil)
			step := max(1, len(reached)/testkit.Size(t, 200, 200))
			for i := 0; i < len(reached); i += step {
				clients, env := m.healed(t, reached[i])
				got, err := m.Recovers(t.Context(), clients, env)
				kept := m.recovery
				m.recovery = newRecovery(len(m.Names))
				want, alone := m.Recovers(t.Context(), clients, env)
				m.recovery = kept
				switch {
				case got != want || errors.Is(err, sim.ErrUndecided) != errors.Is(alone, sim.ErrUndecided):
					t.Fatalf("%v: %t, %v; alone %t, %v", reached[i], got, err, want, alone)
				case err != nil:
					answers[2]++
				case got:
					answers[1]++
				default:
					answers[0]++
				}
			}
			t.Logf("of %d states, %d do not recover, %d do, %d are undecided", len(reached), answers[0], answers[1], answers[2])
		})
	}
}

// healed ends the faults of a state.
func (m *Model) healed(t *testing.T, s []int32) (clients []int32, env int32) {
	t.Helper()
	for who, id := range s[:len(s)-1] {
		id := testkit.Must(m.EndFaults(who, id))(t)
		clients = append(clients, id)
	}
	env = testkit.Must(m.EndFaults(AnEnv, s[len(s)-1]))(t)
	return clients, env
}
