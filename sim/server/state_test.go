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

// TestFieldsEnd: fields that end take their hash along, as an event, at the moment that their
// node's clock says. A replica that takes over has them with their deadline.
func TestFieldsEnd(t *testing.T) {
	s := NodeState{Lag: 1}
	s.run(t, "A.", "HSETEX h FNX PX 50 FIELDS 2 f v g w")
	if at, ends := s.NextExpiry(); at != 51 || !ends {
		t.Errorf("something is at %v", at)
	}
	lease := history.KeyState{Type: "hash", Value: "{f=v g=w}", Deadline: 50}
	is := func(when string, got []history.Change, want ...history.Change) {
		t.Helper()
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, want %+v", when, got, want)
		}
	}
	after, did := s.Pass(50)
	is("at the deadline", did.Changes)
	_, did = after.Pass(51)
	is("after the deadline", did.Changes, history.Change{Key: "h", Before: &lease})
	_, did = s.fault(history.Action{Verb: history.Jump, By: 60}, 0)
	is("a jump over it", did.Changes, history.Change{Key: "h", Before: &lease})
	later := lease
	later.Deadline = 110
	back, did := s.fault(history.Action{Verb: history.Jump, By: -60}, 0)
	is("a jump back", did.Changes, history.Change{Key: "h", Before: &lease, After: &later})
	left := func(when string, s NodeState, at history.Millis, want string) {
		t.Helper()
		if done := testkit.Must(s.do("A.", [][]string{{"HPTTL", "h", "FIELDS", "1", "f"}}, at))(t); done[0].Reply != want {
			t.Errorf("%s it says %s, want %s", when, done[0].Reply, want)
		}
	}
	left("after a jump back", back, 10, "[100]")
	left("moved in time", s.Shift(1000).(NodeState), 1010, "[40]")
	s.run(t, "A.", "HPEXPIRE h 90 FIELDS 2 f g")
	left("after a renewal", s, 10, "[80]")
	old, _ := s.fault(history.Action{Verb: history.Promote, By: 1}, 0)
	left("a replica that has missed a renewal", old, 10, "[40]")
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
