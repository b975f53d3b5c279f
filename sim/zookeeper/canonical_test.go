package zookeeper

import (
	"testing"

	"lockstep/internal/testkit"
	"lockstep/sim/history"
)

// TestAppend: all that makes a difference for the future is in the text of a state.
func TestAppend(t *testing.T) {
	node := func(path string) *Node {
		return &Node{Path: path, Data: []byte("x"), ACL: []ACL{{Perms: 1, ID: ID{"world", "anyone"}}}}
	}
	missed := []txn{{view: view{1, tree{node("/")}}, events: []event{{path: "/"}}}}
	s := State{
		config: Config{Tick: 2000}, next: 9,
		servers:  []server{{view: view{7, tree{node("/"), {Path: "/a"}}}}, {view: view{6, tree{node("/")}}, lag: 2, missed: missed}},
		sessions: []session{{id: 3, timeout: 4000, deadline: 6000, conn: "A"}},
		conns:    []conn{{name: "A", session: 3, timeout: 4000, who: []ID{{"digest", "u"}}, data: []string{"/a"}, child: []string{"/"}}},
	}
	others := map[string]string{}
	for _, f := range []string{"Tick", "MinTimeout", "MaxTimeout", "Servers", "Wall"} {
		others[".config."+f] = "states of the same ensemble are compared"
	}
	testkit.KeyOfAll(t, s, func(s State) string { return string(s.Append(nil, 0)) }, others)
}

// TestAppendEnds: what ends a list cannot be taken for the beginning of the next, and the time
// counts by how far the next tick is, to which the end of a session is rounded.
func TestAppendEnds(t *testing.T) {
	seen := map[string]int{}
	for i, c := range []conn{
		{data: []string{"a"}}, {child: []string{"a"}}, {data: []string{"a", "b"}}, {data: []string{"ab"}}, {data: []string{"a"}, child: []string{"b"}},
		{who: []ID{{"a", "b"}}}, {who: []ID{{"", "ab"}}}, {who: []ID{{"a", ""}, {"", "b"}}},
	} {
		s := State{config: Config{Tick: 2000}, servers: make([]server, 1), conns: []conn{c}}
		if j, ok := seen[string(s.Append(nil, 0))]; ok {
			t.Errorf("connections %d and %d are the same", j, i)
		}
		seen[string(s.Append(nil, 0))] = i
	}
	s := New(Config{})
	if now := func(at int64) string { return string(s.Append(nil, history.Millis(at))) }; now(0) == now(1000) || now(0) != now(2000) {
		t.Error("a state without sessions is the same between ticks, or another at the next one")
	}
}
