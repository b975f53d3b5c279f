package server

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/sim"
	"lockstep/sim/history"
)

func storedKey(key, value string, deadline history.Millis) StoredKey {
	return StoredKey{Key: key, Raw: value, State: history.KeyState{Type: "string", Value: value, Deadline: deadline}}
}

// full returns a new state that uses every field.
func full() NodeState {
	return NodeState{
		Keys:    []StoredKey{storedKey("a", "1", 50), storedKey("b", "2", 0), storedKey("c", "3", 40)},
		Scripts: []string{"return 1"},
		Watches: []Watch{{Conn: "A.", Keys: []string{"a"}, Dirty: true}, {Conn: "B.", Keys: []string{"b", "c"}, Channels: []string{"x"}, Patterns: []string{"y*"}, Listened: true, Unread: []Unread{{"+1\r\n", "1"}}, Multi: true, Queue: [][]string{{"GET", "a"}}}},
		Blocked: []Blocked{{Conn: "C.", Cmd: []string{"BLPOP", "l", "0.1"}, Deadline: 44}, {Conn: "D.", Cmd: []string{"BLPOP", "l", "0"}}},
		Health:  sim.Health{Slow: true, Life: 3, Clock: sim.Clock{Ahead: 7000}}, Lag: 2,
		Behind: []NodeState{{Keys: []StoredKey{storedKey("a", "0", 30)}}, {}},
	}
}

func (s NodeState) fault(a history.Action, now history.Millis) (NodeState, sim.Happened) {
	after, did := s.Fault(a, now)
	return after.(NodeState), did
}

// TestWhatAFaultLeaves checks the state after each fault, and that the previous
// state is unchanged.
func TestWhatAFaultLeaves(t *testing.T) {
	anew := func(s *NodeState) {
		s.Life, s.Scripts, s.Blocked = 4, nil, nil
		s.Watches = []Watch{{Conn: "A.", Gone: true}, {Conn: "B.", Gone: true}}
	}
	for action, change := range map[string]func(*NodeState){
		"r1.restart": anew,
		"r1.wipe":    func(s *NodeState) { anew(s); s.Keys, s.Behind = nil, nil },
		"r1.down":    func(s *NodeState) { anew(s); s.Down = true },
		"r1.up":      func(s *NodeState) { s.Down = false },
		"r1.slow":    func(s *NodeState) { s.Slow = true },
		"r1.fast":    func(s *NodeState) { s.Slow = false },
		"r1.jump+15": func(s *NodeState) { // to 45, when c has expired
			s.Clock.Ahead, s.Keys = 22000, []StoredKey{storedKey("a", "1", 35), storedKey("b", "2", 0)}
			s.Watches[1].Dirty = true
			s.Blocked = s.Blocked[1:]
			*s = s.send(nothing("C."))
		},
		"r1.promote+1": func(s *NodeState) {
			anew(s)
			s.Health, s.Keys, s.Behind = sim.Health{Life: 4}, []StoredKey{storedKey("a", "0", 30)}, nil
		},
		"r1.promote+2": func(s *NodeState) { anew(s); s.Health, s.Keys, s.Behind = sim.Health{Life: 4}, nil, nil },
	} {
		a := testkit.Must(history.ParseAction(action))(t)
		s, want := full(), full()
		change(&want)
		after, _ := s.fault(a, 30)
		if fmt.Sprintf("%+v", after) != fmt.Sprintf("%+v", want) {
			t.Errorf("%s leaves\n%+v, not\n%+v", action, after, want)
		}
		if !reflect.DeepEqual(s, full()) {
			t.Errorf("%s changes the state before it: %+v", action, s)
		}
	}
	// A key of a replica may expire before the promotion.
	after, did := full().fault(history.Action{Verb: history.Promote, By: 1}, 31)
	changes := did.Changes
	if len(after.Keys) != 0 || len(changes) != 3 {
		t.Errorf("promoted too late it has %+v, after %+v", after.Keys, changes)
	}
	broken, _ := full().fault(history.Action{Verb: history.Restart}, 0)
	if !broken.Broken("A.") || broken.Broken("C.") || full().Broken("A.") {
		t.Error("a restart breaks the connections that WATCH, and no other")
	}
}

// TestAStateAsText: what TestAppendAll does not change, the order in a state, is in its text too.
func TestAStateAsText(t *testing.T) {
	seen := map[string]string{full().String(): "nothing"}
	for what, change := range map[string]func(*NodeState){
		"pattern too": func(s *NodeState) {
			s.Watches[1].Patterns, s.Watches[1].Channels = s.Watches[1].Channels, s.Watches[1].Patterns
		},
		"no listener": func(s *NodeState) {
			s.Watches[1].Channels, s.Watches[1].Patterns, s.Watches[1].Listened = nil, nil, false
		},
		"order": func(s *NodeState) { slices.Reverse(s.Blocked) },
	} {
		s := full()
		change(&s)
		if other, ok := seen[s.String()]; ok {
			t.Errorf("%s reads as %s: %s", what, other, s)
		}
		seen[s.String()] = what
	}
	s := full()
	slices.Reverse(s.Keys)
	slices.Reverse(s.Watches)
	if got := s.Sorted(); got.String() != full().String() {
		t.Errorf("sorted: %s", got)
	}
	if got, _ := full().fault(history.Action{Verb: history.Flush}, 0); got.Scripts != nil || len(got.Keys) != 3 {
		t.Errorf("without scripts: %s", got)
	}
	s = full()
	if got := s.Forget(func(conn string) bool { return conn == "A." || conn == "C." }).(NodeState); len(got.Blocked) != 1 || got.Blocked[0].Conn != "D." || len(got.Watches) != 1 || got.Watches[0].Conn != "B." || !reflect.DeepEqual(s, full()) {
		t.Errorf("without A: %s; of %s", got, s)
	}
}

// TestAStateAtAnotherTime: Shift moves all deadlines, and adds none.
func TestAStateAtAnotherTime(t *testing.T) {
	s, want := full(), full()
	want.Keys[0].State.Deadline, want.Keys[2].State.Deadline, want.Behind[0].Keys[0].State.Deadline = 60, 50, 40
	want.Blocked[0].Deadline = 54
	if got := s.shift(10); !reflect.DeepEqual(got.Blocked, want.Blocked) || !reflect.DeepEqual(got.Keys, want.Keys) || got.String() != want.String() || !reflect.DeepEqual(s, full()) || s.shift(0).String() != s.String() {
		t.Errorf("shifted %s, of %s", got, s)
	}
	if at, ok := s.NextExpiry(); at != 41 || !ok {
		t.Errorf("the next key ends at %v, %t", at, ok)
	}
	if at, ok := (NodeState{Keys: []StoredKey{storedKey("b", "2", 0)}}).NextExpiry(); ok {
		t.Errorf("a key without a TTL ends at %v", at)
	}
}

// TestWhatExpires: a key lives through its deadline; a key without one never
// expires. The WATCHes of expired keys become dirty, and the replica's keys
// expire too.
func TestWhatExpires(t *testing.T) {
	for now, want := range map[history.Millis][]string{30: nil, 31: nil, 40: nil, 41: {"c"}, 51: {"a", "c"}} {
		s := full()
		s.Watches[0].Dirty = false
		after, changes := s.Expire(now)
		var gone []string
		for _, ch := range changes {
			gone = append(gone, ch.Key)
			if ch.Before == nil || ch.After != nil {
				t.Errorf("at %v: %+v", now, ch)
			}
		}
		dirty := []bool{after.Watches[0].Dirty, after.Watches[1].Dirty}
		if !slices.Equal(gone, want) || len(after.Keys) != 3-len(want) || !slices.Equal(dirty, []bool{slices.Contains(want, "a"), slices.Contains(want, "c")}) {
			t.Errorf("at %v: %q are gone, dirty %v, left %s", now, gone, dirty, after)
		}
		if left := len(after.Behind[0].Keys); (left == 1) != (now <= 30) {
			t.Errorf("at %v the replica has %d keys", now, left)
		}
		if s.Watches[1].Dirty || len(s.Keys) != 3 || len(s.Behind[0].Keys) != 1 {
			t.Errorf("at %v: the state before has become %s", now, s)
		}
	}
	already, _ := full().Expire(41)
	if !already.Watches[0].Dirty {
		t.Error("another key's end makes a WATCH clean")
	}
}

// TestWhatAFaultChanges: a key that is replaced under its name is one change;
// the changes are sorted by name.
func TestWhatAFaultChanges(t *testing.T) {
	s := NodeState{
		Keys:   []StoredKey{storedKey("d", "1", 0), storedKey("b", "2", 0), storedKey("a", "3", 0), storedKey("e", "4", 0)},
		Behind: []NodeState{{Keys: []StoredKey{storedKey("e", "4", 0), storedKey("b", "5", 0), storedKey("c", "6", 0)}}},
	}
	_, did := s.fault(history.Action{Verb: history.Promote, By: 1}, 0)
	changes := did.Changes
	var got []string
	for _, ch := range changes {
		value := func(k *history.KeyState) string {
			if k == nil {
				return "-"
			}
			return k.Value
		}
		got = append(got, ch.Key+" "+value(ch.Before)+" "+value(ch.After))
	}
	if want := []string{"a 3 -", "b 2 5", "c - 6", "d 1 -"}; !slices.Equal(got, want) {
		t.Errorf("changed %q, not %q", got, want)
	}
}

// TestTimed: what the units do depends on the time if a word of theirs or of a stored
// script does.
func TestTimed(t *testing.T) {
	for _, test := range []struct {
		scripts []string
		cmds    [][]string
		want    bool
	}{
		{nil, nil, false},
		{nil, [][]string{{"GET", "k"}}, false},
		{nil, [][]string{{"GET", "k"}, {"SET", "k", "TIME"}}, true},
		{[]string{"return 1", "TIME"}, [][]string{{"EVALSHA", "x"}}, true},
		{[]string{"return 1", "return 2"}, [][]string{{"EVALSHA", "x"}}, false},
	} {
		if got := (NodeState{Scripts: test.scripts}).Timed(sim.Units(test.cmds), func(word string) bool { return word == "TIME" }); got != test.want {
			t.Errorf("%q with the scripts %q: %t", test.cmds, test.scripts, got)
		}
	}
}
