package server

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"lockstep/sim"
	"lockstep/sim/history"
)

// newNode starts a node whose replica may miss up to lag writes.
func newNode(t *testing.T, lag int) *Embedded {
	t.Helper()
	n, err := NewEmbedded("r1", lag)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = n.Close() })
	return n
}

// do executes commands, each in its own unit, over a connection.
func (n *Embedded) do(conn string, cmds ...string) {
	for _, cmd := range cmds {
		n.executeAll(conn, []sim.Unit{{Cmds: [][]string{strings.Fields(cmd)}}})
	}
}

func stored(t *testing.T, n *Embedded) NodeState {
	t.Helper()
	s, err := n.store()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestWhatAReplicaMisses: the writes that changed a key, at most as many as the
// lag.
func TestWhatAReplicaMisses(t *testing.T) {
	n := newNode(t, 2)
	for i, want := range []int{1, 1, 1, 2, 2} {
		n.do("A.", []string{"SET k a", "GET k", "SET k a", "SET k b", "SET k c"}[i])
		if got := n.Behind(0); got != want {
			t.Errorf("after %d commands it may have missed %d writes, want %d", i+1, got, want)
		}
	}
	if got := []string{n.behind[0].Keys[0].Raw, n.behind[1].Keys[0].Raw}; !slices.Equal(got, []string{"b", "a"}) {
		t.Errorf("it has %q", got)
	}
	n = newNode(t, 0)
	if n.do("A.", "SET k a"); n.Behind(0) != 0 {
		t.Errorf("a node without a replica is %d behind", n.Behind(0))
	}
}

// TestFaultsOfANodeThatLives: a fault has the same effect on a node as on its
// state. A restart drops what it kept for connections.
func TestFaultsOfANodeThatLives(t *testing.T) {
	for _, fault := range []string{"r1.restart", "r1.wipe", "r1.down", "r1.up", "r1.slow", "r1.fast", "r1.promote+1", "r1.promote+2", "r1.jump+45", "r1.jump-5", "flush"} {
		t.Run(fault, func(t *testing.T) {
			a, err := history.ParseAction(fault)
			if err != nil {
				t.Fatal(err)
			}
			n := newNode(t, 2)
			n.do("A.", "SET k a PX 50", "SET n 1", "HSET h f v", "WATCH k", "SCRIPT LOAD return", "PEXPIRE h 40", "ZADD z 1.5 a -inf b", "PEXPIRE z 40")
			n.do("B.", "GET k")
			before, writes := stored(t, n), n.writes
			want, did := before.Fault(a, 7)
			for i := range want.Watches { // only EXEC shows this on a running node
				want.Watches[i].Dirty = false
			}
			_, got, err := n.Fault(0, a, 7)
			if err != nil || !slices.EqualFunc(got.Changes, did.Changes, func(x, y history.Change) bool { return reflect.DeepEqual(x, y) }) {
				t.Errorf("it changes %+v, the value %+v; %v", got, did, err)
			}
			if after := stored(t, n); after.String() != want.String() {
				t.Errorf("it is %s, the value %s", after, want)
			}
			anew := want.Life > before.Life
			if n.Broken(0, "A.") != anew || n.Broken(0, "B.") || anew != (len(n.peers) == 0) || anew != (n.writes > writes) {
				t.Errorf("begun anew %t: A's connection is broken %t, B's %t; %d peers, %d writes after %d", anew, n.Broken(0, "A."), n.Broken(0, "B."), len(n.peers), n.writes, writes)
			}
		})
	}
}

// TestWhatCannotBeStored: a key of another type ends the run.
func TestWhatCannotBeStored(t *testing.T) {
	n := newNode(t, 1)
	if _, err := n.mini.PfAdd("z", "a"); err != nil {
		t.Fatal(err)
	}
	if _, _, err := n.Fault(0, history.Action{Verb: history.Restart}, 0); err == nil {
		t.Error("a fault forgets a sketch")
	}
	s := NodeState{Keys: []StoredKey{{Key: "z", State: history.KeyState{Type: "hll"}}}}
	if _, _, err := s.Execute("r1", "A.", []sim.Unit{{Cmds: [][]string{{"GET", "k"}}}}, 0); err == nil {
		t.Error("a sketch is loaded")
	}
	if err := n.begin(s.Keys, 0); err == nil {
		t.Error("a process begins with a sketch")
	}
}

// TestWhatANodeRemembers: a node keeps nothing for connections that watch
// nothing.
func TestWhatANodeRemembers(t *testing.T) {
	n := newNode(t, 0)
	remembered := func(want string) {
		t.Helper()
		if got := n.Remembers("A/"); strings.ReplaceAll(strings.TrimSpace(got), "\n", ";") != want {
			t.Errorf("it remembers %q, want %q", got, want)
		}
	}
	n.do("A/1.", "GET k", "SET k a")
	n.do("B/1.", "WATCH k")
	remembered("")
	if s := stored(t, n); len(s.Watches) != 1 || s.Watches[0].Conn != "B/1." {
		t.Errorf("stored: %+v", s.Watches)
	}
	n.do("A/1.", "WATCH k")
	remembered(`conn A/1. ["k"] 1 false [] false`)
	n.do("B/2.", "SET k b PX 20")
	remembered(`conn A/1. ["k"] 2 false [] false`)
	n.do("A/1.", "WATCH n")
	remembered(`conn A/1. ["k" "n"] 3 false [] false`)
	pass(t, n, 21)
	remembered(`conn A/1. ["k" "n"] 4 false [] false`)
	n.do("B/2.", "SET a 1 PX 20", "SET b 1 PX 20")
	pass(t, n, 60)
	remembered(`conn A/1. ["k" "n"] 8 false [] false`)
	n.do("A/1.", "MULTI", "GET k", "GET")
	remembered(`conn A/1. ["k" "n"] 9 true [["GET" "k"]] true`)
	n.do("A/1.", "DISCARD", "MULTI")
	remembered(`conn A/1. [] 0 true [] false`) // without a WATCH, the writes make no difference
	if _, _, err := n.Fault(0, history.Action{Verb: history.Restart}, 60); err != nil {
		t.Fatal(err)
	}
	remembered("conn A/1. gone")
	n.do("A/1.", "WATCH k")
	remembered("conn A/1. gone")
	n.Forget(0, func(conn string) bool { return conn == "A/1." })
	remembered("")
}

// TestANodeAsText: the text shows every difference of a node.
func TestANodeAsText(t *testing.T) {
	seen := map[string]string{}
	for what, change := range map[string]func(*Embedded){
		"nothing":   func(*Embedded) {},
		"a key":     func(n *Embedded) { n.do("A.", "SET n 1") },
		"a value":   func(n *Embedded) { n.do("A.", "SET k b PX 50") },
		"a type":    func(n *Embedded) { n.do("A.", "DEL k", "HSET k f v", "PEXPIRE k 50") },
		"a TTL":     func(n *Embedded) { n.do("A.", "PEXPIRE k 51") },
		"a script":  func(n *Embedded) { n.do("A.", "SCRIPT LOAD return") },
		"slow":      func(n *Embedded) { n.health.Slow = true },
		"a replica": func(n *Embedded) { n.behind = []NodeState{{}} },
		"its keys":  func(n *Embedded) { n.behind = []NodeState{{Keys: []StoredKey{{Key: "k"}}}} },
	} {
		n := newNode(t, 0)
		n.do("A.", "SET k a PX 50")
		change(n)
		text := n.Canonical()
		if other, ok := seen[text]; ok {
			t.Errorf("%s reads as %s: %s", what, other, text)
		}
		seen[text] = what
	}
	n := newNode(t, 0)
	if got, want := n.Canonical(), "r1\n scripts []\n"; got != want {
		t.Errorf("an empty node is %q, want %q", got, want)
	}
}

// TestKeyLists checks has and nextExpiry.
func TestKeyLists(t *testing.T) {
	list := func(deadlines ...history.Millis) (l keyList) {
		for i, at := range deadlines {
			l = append(l, KeyView{Key: fmt.Sprint("k", i), State: history.KeyState{Deadline: at}})
		}
		return l
	}
	for _, test := range []struct {
		keys keyList
		want history.Millis
	}{{list(), 0}, {list(0), 0}, {list(5), 6}, {list(0, 5, 0), 6}, {list(5, 7), 6}, {list(7, 5), 6}, {list(5, 6), 6}, {list(6, 5), 6}} {
		if at, ok := test.keys.nextExpiry(); at != test.want || ok != (test.want > 0) {
			t.Errorf("%+v: the next ends at %v, %t", test.keys, at, ok)
		}
		stored := NodeState{}
		for _, k := range test.keys {
			stored.Keys = append(stored.Keys, StoredKey{Key: k.Key, State: k.State})
		}
		if at, ok := stored.NextExpiry(); at != test.want || ok != (test.want > 0) {
			t.Errorf("%+v, stored: the next ends at %v, %t", test.keys, at, ok)
		}
	}
	if l := list(0, 0); !l.has("k1") || l.has("k2") || list().has("k0") {
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

// TestRestInText: states that differ in a rest differ in text.
func TestRestInText(t *testing.T) {
	one, two := full(), full()
	one.Keys[0].Rest, two.Keys[0].Rest = 1, 2
	if one.String() == full().String() || one.String() == two.String() {
		t.Errorf("%s, %s and %s", full(), one, two)
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
