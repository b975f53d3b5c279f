package model

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/internal/testkit/simtest"
	"lockstep/sim/history"
)

// maxReached bounds the states of reach.
const maxReached = 6000

// TestLearntByWhatItTouches: a stored effect equals what Step does in every
// reached state, however much of the state is new.
func TestLearntByWhatItTouches(t *testing.T) {
	testkit.Single(t)
	jump := func(by history.Millis) history.Action { return history.Action{Verb: history.Jump, By: by} }
	for _, tt := range []struct {
		lock string
		of   []history.Action // the faults of clients
		env  []history.Action // the faults of nodes
	}{
		{"set-lua", []history.Action{{Verb: history.Send}, {Verb: history.Late}}, nil},
		{"watch-del", []history.Action{{Verb: history.Crash}}, []history.Action{{Verb: history.Wipe, Node: "r1"}}},
		{"fenced", []history.Action{jump(10 * history.Second)}, nil},
		{"redlock", []history.Action{{Verb: history.Cut}, {Verb: history.Heal}}, nil},
		{"redlock", nil, []history.Action{{Verb: history.Promote, Node: "r1", By: 1}, {Verb: history.Promote, Node: "r3", By: 1}}},
		{"watchdog-lua", []history.Action{{Verb: history.Hang}}, nil},
	} {
		t.Run(tt.lock, func(t *testing.T) {
			c := history.Default()
			c.Strategy, c.Clients, c.TTL, c.Work, c.Lag = tt.lock, []string{"A", "B"}, 5*history.Second, 2*history.Second, 1
			subject := simtest.Subject(t, tt.lock)
			if subject.Nodes > 1 {
				c.Nodes = 3
			}
			m := New(context.Background(), c, subject, false)
			defer m.Close()
			reached := m.reach(t, tt.of, tt.env)
			actions, learned := len(m.actions.list), len(m.effects.known)
			pairs, compared := map[[3]int32]bool{}, 0
			for _, s := range reached {
				for who := range c.Clients {
					pair := [3]int32{int32(who), s[who], s[len(s)-1]}
					if !pairs[pair] {
						pairs[pair] = true
						compared += m.compare(t, who, pair[1], pair[2], actions)
					}
				}
			}
			if compared <= learned {
				t.Errorf("%d answers, of %d that were learned: nothing was known by what it touches", compared, learned)
			}
			t.Logf("%d states, %d answers compared, of %d that were learned", len(reached), compared, learned)
		})
	}
}

// reach visits states breadth first, each a number per client and one for the
// env. Faults may repeat.
func (m *Model) reach(t *testing.T, ofClients, ofEnv []history.Action) (reached [][]int32) {
	t.Helper()
	seen := map[string]bool{}
	add := func(s []int32) {
		if key := fmt.Sprint(s); !seen[key] {
			seen[key] = true
			reached = append(reached, s)
		}
	}
	var first []int32
	for who := range m.Config.Clients {
		first = append(first, m.Fresh(who))
	}
	add(append(first, m.FreshEnv()))
	for i := 0; i < len(reached) && len(reached) < maxReached; i++ {
		for _, s := range m.successors(t, reached[i], ofClients, ofEnv) {
			add(s)
		}
	}
	return reached
}

// successors lists the states after a state.
func (m *Model) successors(t *testing.T, s []int32, ofClients, ofEnv []history.Action) (list [][]int32) {
	t.Helper()
	env := s[len(s)-1]
	to := func(who int, e Effect) {
		next := slices.Clone(s)
		if who != AnEnv {
			next[who] = e.Client
		}
		next[len(next)-1] = e.Env
		list = append(list, next)
	}
	due := m.NextExpiry(env)
	for who := range m.Config.Clients {
		steps, err := m.Steps(who, s[who], env, false)
		for _, e := range steps {
			to(who, e)
		}
		faults, wrong := m.Faults(who, s[who], env, ofClients)
		for _, e := range faults {
			to(who, e)
		}
		if err != nil || wrong != nil {
			t.Fatal(err, wrong)
		}
		due = Sooner(due, m.Due(who, s[who], env))
	}
	var happens []EnvAction
	if due > 0 {
		happens = append(happens, EnvAction{To: due})
	}
	for _, a := range ofEnv {
		happens = append(happens, EnvAction{Fault: m.Number(a)})
	}
	for _, a := range happens {
		e := testkit.Must(m.Happen(env, a))(t)
		if e.Possible() {
			to(AnEnv, e)
		}
	}
	return list
}

// compare compares stored effects with Step, and counts them.
func (m *Model) compare(t *testing.T, who int, client, env int32, actions int) (compared int) {
	t.Helper()
	if is, want := *m.enabledOf(who, client, env), m.askEnabled(who, client, env); !reflect.DeepEqual(is, want) {
		t.Fatalf("what client %d of %s can do in env %d is %+v, want %+v", client, m.Names[who], env, is, want)
	}
	for n, a := range m.actions.list[:actions] {
		action := int16(n)
		if a.Client != m.Names[who] {
			continue
		}
		if _, known := m.effects.find(m, who, client, env, action); known == nil {
			continue
		}
		e, ok, err := m.Act(who, client, env, action)
		testkit.OK(t, err)
		want := testkit.Must(m.ask(who, client, env, action))(t)
		possible := want.Possible()
		switch {
		case !possible:
			want = Effect{}
		case want.Env == unchanged:
			want.Env = env
		}
		if ok != possible || e != want {
			t.Fatalf("%s by client %d in env %d comes to %+v, %t, want %+v", a, client, env, e, ok, want)
		}
		compared++
	}
	return compared
}
