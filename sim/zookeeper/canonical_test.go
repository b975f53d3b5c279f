package zookeeper

import (
	"testing"

	"lockstep/internal/testkit"
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
	for _, f := range []string{"Tick", "MinTimeout", "MaxTimeout", "Servers", "Wall", "Timeless"} {
		others[".config."+f] = "states of the same ensemble are compared"
	}
	testkit.KeyOfAll(t, s, func(s State) string { return string(s.Append(nil, 0)) }, others)
}
