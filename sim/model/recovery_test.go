package model

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"lockstep/internal/testkit"
	"lockstep/internal/testkit/simtest"
	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/program"
	"lockstep/strategies"
)

// TestRecoversAsAlone: the answer for a state is that of a run which knows of no
// other, also of code that polls without a pause.
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
			rounds, reached := [2]int{}, m.reach(t, kinds, nil)
			step := max(1, len(reached)/1000)
			for i := 0; i < len(reached); i += step {
				clients, env := m.healed(t, reached[i])
				got, err := m.Recovers(t.Context(), m.Trial(clients, env), clients, env)
				rounds[0] += len(m.recovery.path)
				kept, of := m.recovery, m.recovery.futures[m.Trial(clients, env)]
				m.recovery = newRecovery(len(m.Names))
				want, alone := m.Recovers(t.Context(), m.Trial(clients, env), clients, env)
				rounds[1] += len(m.recovery.path)
				by := m.recovery.futures[m.Trial(clients, env)]
				m.recovery = kept
				switch {
				case of.acquires != by.acquires || of.acquires && (of.at != by.at || of.steps != by.steps):
					t.Fatalf("%v: %+v; alone %+v", reached[i], of, by)
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
			t.Logf("of %d states, %d do not recover, %d do, %d are undecided; %d rounds, %d alone", len(reached), answers[0], answers[1], answers[2], rounds[0], rounds[1])
			if rounds[0] >= rounds[1] {
				t.Error("no run met another")
			}
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

// TestFutureHolds: a future holds for a run that would come to the same.
func TestFutureHolds(t *testing.T) {
	acquires := future{at: 100, acquires: true, steps: 10, rounds: 3, busy: anyBusy}
	nobody := future{at: 100, steps: 10, rounds: 3, busy: anyBusy}
	waits := future{at: 100, acquires: true, steps: 10, rounds: 3, busy: 7}
	for _, tt := range []struct {
		name string
		of   future
		o    sim.Outlook
		want bool
	}{
		{"nothing is known", future{busy: anyBusy, acquires: true}, sim.Outlook{Horizon: 100}, false},
		{"in time", acquires, sim.Outlook{Horizon: 100}, true},
		{"too late", acquires, sim.Outlook{Horizon: 99}, true},
		{"nobody until then", nobody, sim.Outlook{Horizon: 99}, true},
		{"perhaps at the horizon", nobody, sim.Outlook{Horizon: 100}, false},
		{"nobody ever", future{at: never, rounds: 1, busy: anyBusy}, sim.Outlook{Horizon: 1 << 50}, true},
		{"the most steps", acquires, sim.Outlook{Horizon: 100, Steps: sim.MaxProbe - 10}, true},
		{"more steps", acquires, sim.Outlook{Horizon: 100, Steps: sim.MaxProbe - 9}, false},
		{"the busiest", acquires, sim.Outlook{Horizon: 100, Busy: sim.MaxBusy - 2}, true},
		{"too busy", acquires, sim.Outlook{Horizon: 100, Busy: sim.MaxBusy - 1}, false},
		{"as busy", waits, sim.Outlook{Horizon: 100, Busy: 7}, true},
		{"less busy", waits, sim.Outlook{Horizon: 100, Busy: 6}, false},
	} {
		if got := tt.of.holds(tt.o); got != tt.want {
			t.Errorf("%s: %t", tt.name, got)
		}
	}
}

// TestRemember: what a run leaves for others, by where it ends and where it
// passes time.
func TestRemember(t *testing.T) {
	path := []moment{
		{number: 0, busy: 0, steps: 0},
		{number: 1, busy: 1, steps: 2, passes: true},
		{number: 2, busy: 1, steps: 4},
		{number: 3, busy: 2, steps: 7, passes: true, waits: true},
		{number: 4, busy: 1, steps: 8},
		{number: 5, busy: 2, steps: 9},
	}
	first := []future{{steps: 12, rounds: 2, busy: anyBusy}, {steps: 10, rounds: 1, busy: anyBusy}, {steps: 8, rounds: 2, busy: 1}, {steps: 5, rounds: 1, busy: 2}}
	for _, tt := range []struct {
		name     string
		acquires bool
		met      future
		at       history.Millis // of all
		last     []future       // of 4 and 5
		more     int32          // steps than 12
	}{
		{"a client acquires", true, future{}, 100, []future{{steps: 4, rounds: 2, busy: anyBusy}, {steps: 3, rounds: 1, busy: anyBusy}}, 0},
		{"nothing will change", false, future{}, never, []future{{steps: 4, rounds: 2, busy: anyBusy}, {steps: 3, rounds: 1, busy: anyBusy}}, 0},
		{"it meets another", true, future{at: 300, acquires: true, steps: 5, rounds: 4, busy: anyBusy}, 300, []future{{steps: 9, rounds: 6, busy: anyBusy}, {steps: 8, rounds: 5, busy: anyBusy}}, 5},
		{"it meets one that waits", true, future{at: 300, acquires: true, steps: 5, rounds: 4, busy: 3}, 300, []future{{steps: 9, rounds: 6, busy: 1}, {steps: 8, rounds: 5, busy: 2}}, 5},
	} {
		m := &Model{recovery: recovery{futures: make([]future, len(path))}}
		m.envs.list = []*envState{{now: 100}}
		f := &fairRun{Model: m, path: path, met: tt.met, outlook: sim.Outlook{Horizon: 200, Steps: 12}}
		f.remember(tt.acquires)
		for n, want := range append(slices.Clone(first), tt.last...) {
			if want.at, want.acquires = tt.at, tt.acquires; n < len(first) {
				want.steps += tt.more
			}
			if got := m.recovery.futures[n]; got != want {
				t.Errorf("%s: %d has %+v, want %+v", tt.name, n, got, want)
			}
		}
	}
}

// TestForeseen: a run that meets a known future ends with what that is within its own horizon.
func TestForeseen(t *testing.T) {
	for _, tt := range []struct {
		name            string
		of              future
		acquires, known bool
	}{
		{"in time", future{at: 99, rounds: 1, busy: anyBusy, acquires: true}, true, true},
		{"at the horizon", future{at: 100, rounds: 1, busy: anyBusy, acquires: true}, true, true},
		{"after it", future{at: 101, rounds: 1, busy: anyBusy, acquires: true}, false, true},
		{"never", future{at: never, rounds: 1, busy: anyBusy}, false, true},
		{"not until the horizon", future{at: 100, rounds: 1, busy: anyBusy}, false, false},
		{"nothing is known", future{}, false, false},
	} {
		f := &fairRun{Model: &Model{recovery: recovery{futures: []future{{}, tt.of}}}, number: 1}
		acquires, known := f.Foreseen(sim.Outlook{Horizon: 100, Busy: 2, Steps: 3})
		if acquires != tt.acquires || known != tt.known || f.number != unknown {
			t.Errorf("%s: %t, %t", tt.name, acquires, known)
		}
		if want := (moment{number: 1, busy: 2, steps: 3}); !known && (len(f.path) != 1 || f.path[0] != want) || known && (len(f.path) > 0 || f.met != tt.of) {
			t.Errorf("%s: it goes %+v and has met %+v", tt.name, f.path, f.met)
		}
	}
}
