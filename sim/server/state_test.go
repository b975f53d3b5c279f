package server

import (
	"reflect"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/sim"
	"lockstep/sim/history"
)

// TestAJumpTurnsOneClock: a replica keeps its deadlines.
func TestAJumpTurnsOneClock(t *testing.T) {
	until := func(deadline history.Millis) []StoredKey {
		return []StoredKey{{Key: "k", Raw: "v", State: history.KeyState{Type: "string", Value: "v", Deadline: deadline}}}
	}
	s := NodeState{Keys: until(50), Lag: 1, Behind: []NodeState{{Keys: until(50)}}}
	for by, want := range map[history.Millis][]StoredKey{60: {}, -60: until(110)} {
		after, _ := s.fault(history.Action{Verb: history.Jump, By: by}, 0)
		if !reflect.DeepEqual(after.Keys, want) {
			t.Errorf("after a jump by %v it has %+v", by, after.Keys)
		}
		if !reflect.DeepEqual(after.Behind, s.Behind) {
			t.Errorf("after a jump by %v its replica has %+v", by, after.Behind)
		}
	}
}

// TestAppendAll: all that can change a reply is in the text of a state.
func TestAppendAll(t *testing.T) {
	s := full()
	s.Keys[1].Parts, s.Watches[0].Unread = []string{"p"}, []Unread{{"+2\r\n", "2"}}
	testkit.KeyOfAll(t, s, func(s NodeState) string { return string(s.Append(nil)) }, map[string]string{
		".Lag": "it is constant", ".Behind[].Lag": "it is constant", ".Watches[].Unread[].Text": "only events show it",
		".Keys[].State.Value": "it is made of Raw or Parts", ".Behind[].Keys[].State.Value": "it is made of Raw or Parts",
		"len .Watches[0].Channels": "it has never listened", "len .Watches[0].Patterns": "it has never listened",
		".Watches[0].Refused": "it is in no transaction", "len .Watches[0].Queue": "it is in no transaction",
	})
}

// TestLoadWritesNothing: what puts a state into a miniredis, here a WATCH that is dirty, is
// no write that a replica could have missed.
func TestLoadWritesNothing(t *testing.T) {
	s := NodeState{Lag: 1, Keys: []StoredKey{storedKey("a", "1", 0)}, Watches: []Watch{{Conn: "A.", Keys: []string{"a"}, Dirty: true}}}
	after, _, err := s.Execute("r1", "B.", sim.Units([][]string{{"GET", "a"}}), 1)
	if err != nil || after.Missed() != 0 {
		t.Errorf("%v, %v", after, err)
	}
}
