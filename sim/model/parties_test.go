package model

import (
	"strings"
	"testing"

	"lockstep/internal/testkit/simtest"
	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/server"
)

// newModel returns a model of a lock on one node.
func newModel(t *testing.T) *Model {
	t.Helper()
	c := history.Default()
	c.Strategy = "set-lua"
	m := New(t.Context(), c, simtest.Subject(t, "set-lua"), false)
	t.Cleanup(m.Close)
	return m
}

// TestEndFaults ends the faults of a client and of an env, each alone and
// again.
func TestEndFaults(t *testing.T) {
	m := newModel(t)
	cut, slow := sim.ClientState{Cut: 1, Strands: make([]sim.Strand, 1)}, sim.State{Now: 3}
	slow.Nodes = []sim.Ref{m.node(server.NodeState{Health: sim.Health{Down: true, Slow: true}})}
	for range 2 {
		for who := range 2 {
			id := m.client(who, cut)
			to, err := m.EndFaults(who, id)
			if err != nil || m.Client(who, to).Cut != 0 || m.Client(who, id).Cut != 1 {
				t.Errorf("client %d: %+v, %v", who, m.Client(who, to), err)
			}
		}
		id := m.env(slow)
		to, err := m.EndFaults(AnEnv, id)
		if node := m.Nodes(to)[0].Condition(); err != nil || node.Down || node.Slow || m.Now(to) != 3 || !m.Nodes(id)[0].Condition().Down {
			t.Errorf("the env: %+v, %v", node, err)
		}
	}
}

// TestLearntNodes checks nodes after time has passed or a connection was
// forgotten.
func TestLearntNodes(t *testing.T) {
	m := newModel(t)
	n := m.parties.Servers[0]
	key := func(until history.Millis) []server.StoredKey {
		return []server.StoredKey{{Key: "k", State: history.KeyState{Type: "string", Deadline: until}}}
	}
	at := m.node(server.NodeState{Keys: key(5)})
	if !n.View(at).Has("k") || n.View(at).Has("l") {
		t.Error("which keys are there")
	}
	if to, changes, err := n.Pass(at, 5); to != at || len(changes.Changes) != 0 || err != nil {
		t.Errorf("at the deadline %d became %d: %+v, %v", at, to, changes, err)
	}
	if to, changes, err := n.Pass(at, 6); to == at || len(changes.Changes) != 1 || len(redisOf(m, to).Keys) != 0 || err != nil {
		t.Errorf("after it %d became %d: %+v, %v", at, to, changes, err)
	}
	at = m.node(server.NodeState{Lag: 1, Behind: []server.NodeState{{Keys: key(5)}}})
	if to, _, err := n.Pass(at, 6); to == at || len(redisOf(m, to).Behind[0].Keys) != 0 || err != nil {
		t.Errorf("a replica's key: %+v, %v", m.nodes.list[to], err)
	}
	at = m.node(server.NodeState{Watches: []server.Watch{{Conn: "A/0.", Keys: []string{"k"}}}})
	if to := n.Forget(at, func(conn string) bool { return strings.HasPrefix(conn, "A/") }); to == at || len(redisOf(m, to).Watches) != 0 {
		t.Errorf("forgotten: %+v", m.nodes.list[to])
	}
}

// redisOf is a node that the model knows.
func redisOf(m *Model, at sim.Ref) server.NodeState {
	return m.nodes.list[at].(server.NodeState)
}

// TestBegins: steps only begin the code of a client where nothing of it has run.
func TestBegins(t *testing.T) {
	m := newModel(t)
	who, env := m.Fresh(0), m.FreshEnv()
	for i := range 4 {
		steps, err := m.Steps(0, who, env, false)
		if err != nil || len(steps) == 0 || m.Begins(0, who, steps) != (i == 0) {
			t.Fatalf("after %d steps: %+v, %v", i, steps, err)
		}
		who, env = steps[0].Client, steps[0].Env
	}
}
