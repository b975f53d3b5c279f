package server

import (
	"strings"
	"testing"

	"lockstep/sim"
)

// TestRename: a state with other names is the state after the same commands by others.
func TestRename(t *testing.T) {
	swap := strings.NewReplacer("A-", "B-", "B-", "A-", "A/", "B/", "B/", "A/").Replace
	for _, commands := range [][]string{
		{"SET k A-1"},
		{"SET A-k v PX 50", "SET B-k w"},
		{"HSET h A-1 1", "HSET h B-1 2", "HSET h c B-9"},
		{"SADD s A-1 B-2 c"},
		{"RPUSH l B-1 A-1 A-2"},
		{"ZADD z 2 A-1 1 B-1", "ZADD y 1 A-1 1 B-1 0 c"},
		{"WATCH k A-k", "SET A-k v"},
		{"SUBSCRIBE A-c", "PUBLISH A-c B-1"},
		{"BLPOP A-q 0"},
	} {
		run := func(as func(string) string) (s NodeState) {
			s.Lag = 1
			for i, command := range commands {
				conn := as([]string{"A/0.", "B/0."}[i%2])
				after, _, err := s.Execute("r1", conn, sim.Units([][]string{strings.Fields(as(command))}), 7)
				if err != nil {
					t.Fatalf("%s: %v", command, err)
				}
				s = after
			}
			return s
		}
		mine, theirs := run(func(s string) string { return s }), run(swap)
		if got := mine.Rename(swap); got.String() != theirs.String() || len(got.views()) != len(theirs.views()) {
			t.Errorf("%v:\n%s\nwant\n%s", commands, got, theirs)
		}
		for i, view := range mine.Rename(swap).views() {
			if want := theirs.views()[i]; view != want {
				t.Errorf("%v: shown as %+v, want %+v", commands, view, want)
			}
		}
		if mine.String() == theirs.String() {
			t.Errorf("%v: no name is in it", commands)
		}
	}
}
