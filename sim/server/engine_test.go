package server

import (
	"fmt"
	"strings"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/sim/history"
)

// TestWhatAReplicaMisses: the writes that changed a key, at most as many as the
// lag.
func TestWhatAReplicaMisses(t *testing.T) {
	for lag, want := range map[int][]int{0: {0, 0, 0, 0, 0}, 2: {1, 1, 1, 2, 2}} {
		s := NodeState{Lag: lag}
		for i, cmd := range []string{"SET k a", "GET k", "SET k a", "SET k b", "SET k c"} {
			s.run(t, "A.", cmd)
			if got := s.Missed(); got != want[i] {
				t.Errorf("lag %d: after %d commands it may have missed %d writes, want %d", lag, i+1, got, want[i])
			}
		}
		if lag == 2 && (s.Behind[0].Keys[0].Raw != "b" || s.Behind[1].Keys[0].Raw != "a") {
			t.Errorf("it has %+v", s.Behind)
		}
	}
}

// run executes commands, each in its own unit, over a connection.
func (s *NodeState) run(t *testing.T, conn string, cmds ...string) {
	t.Helper()
	for _, cmd := range cmds {
		testkit.Must(s.do(conn, [][]string{strings.Fields(cmd)}, 0))(t)
	}
}

// TestWhatANodeRemembers: a node keeps nothing for connections that watch nothing and are
// in no transaction.
func TestWhatANodeRemembers(t *testing.T) {
	var s NodeState
	remembered := func(want string) {
		t.Helper()
		if got := strings.ReplaceAll(fmt.Sprintf("%+v", s.Watches), "Channels:[] Patterns:[] Listened:false Unread:[] ", ""); got != want {
			t.Errorf("it remembers %s, want %s", got, want)
		}
	}
	s.run(t, "A/1.", "GET k", "SET k a")
	remembered("[]")
	s.run(t, "A/1.", "WATCH k", "WATCH n")
	remembered("[{Conn:A/1. Keys:[k n] Dirty:false Gone:false Multi:false Queue:[] Refused:false}]")
	s.run(t, "B/2.", "SET k b PX 20")
	remembered("[{Conn:A/1. Keys:[k n] Dirty:true Gone:false Multi:false Queue:[] Refused:false}]")
	s.run(t, "A/1.", "MULTI", "GET k", "GET")
	remembered("[{Conn:A/1. Keys:[k n] Dirty:true Gone:false Multi:true Queue:[[GET k]] Refused:true}]")
	s.run(t, "A/1.", "DISCARD", "MULTI")
	remembered("[{Conn:A/1. Keys:[] Dirty:false Gone:false Multi:true Queue:[] Refused:false}]")
	s, _ = s.fault(history.Action{Verb: history.Restart}, 60)
	gone := "[{Conn:A/1. Keys:[] Dirty:false Gone:true Multi:false Queue:[] Refused:false}]"
	remembered(gone)
	s.run(t, "B/1.", "WATCH k", "UNWATCH")
	remembered(gone)
	s = s.Forget(func(conn string) bool { return conn == "A/1." }).(NodeState)
	remembered("[]")
}

// TestKeyLists checks NextExpiry and Has.
func TestKeyLists(t *testing.T) {
	list := func(deadlines ...history.Millis) (s NodeState) {
		for i, at := range deadlines {
			s.Keys = append(s.Keys, StoredKey{Key: fmt.Sprint("k", i), State: history.KeyState{Deadline: at}})
		}
		return s
	}
	for _, test := range []struct {
		state NodeState
		want  history.Millis
	}{{list(), 0}, {list(0), 0}, {list(5), 6}, {list(0, 5, 0), 6}, {list(5, 7), 6}, {list(7, 5), 6}, {list(5, 6), 6}, {list(6, 5), 6}} {
		if at, ok := test.state.NextExpiry(); at != test.want || ok != (test.want > 0) {
			t.Errorf("%+v: the next ends at %v, %t", test.state, at, ok)
		}
	}
	if s := list(0, 0); !s.Has("k1") || s.Has("k2") || list().Has("k0") {
		t.Error("which keys are there")
	}
}

// TestTwoKeysThatEndInTurn: each key ends at its own deadline.
func TestTwoKeysThatEndInTurn(t *testing.T) {
	s := NodeState{Keys: []StoredKey{storedKey("a", "1", 40), storedKey("b", "1", 41)}}
	if after, _ := s.Expire(41); len(after.Keys) != 1 || after.Keys[0].Key != "b" {
		t.Errorf("at 41 there is %s", after)
	}
}

// TestHalfAReply: an incomplete reply is quoted.
func TestHalfAReply(t *testing.T) {
	for _, text := range []string{"$5\r\nab", "", "nonsense\r\n"} {
		if got := replyText([]byte(text)); got != fmt.Sprintf("%q", text) {
			t.Errorf("%q reads as %s", text, got)
		}
	}
}
