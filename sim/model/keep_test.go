package model

import (
	"fmt"
	"slices"
	"testing"

	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/program"
)

// sends is a strand that is about to send a command.
func sends(words ...string) sim.Want {
	return sim.Want{Saw: sim.SawReply, Units: []sim.Unit{{Cmds: [][]string{words}, Shown: [][]string{words}}}}
}

// keptCode is what a learner may keep of two strands that each make an observation, in
// either order; after both it is at node 3.
func keptCode() KeptCode {
	told := func(strand int, reply string) program.Observed {
		return program.Observed{Strand: strand, Observation: sim.Observation{Kind: sim.SawReply, Reply: []byte(reply)}}
	}
	return KeptCode{
		Root: []sim.Want{sends("GET", "a"), sends("GET", "b")},
		Ways: []KeptWay{
			{Observed: told(0, "1"), From: 0, To: 1, Ran: 3, Strands: 2, Changed: []int{0}, Wants: []sim.Want{sends("SET", "a")}},
			{Observed: told(1, "1"), From: 0, To: 2, Ran: 3, Strands: 2, Changed: []int{1}, Wants: []sim.Want{sends("SET", "b")}, Events: []history.Event{{Kind: history.Enter}}},
			{Observed: told(1, "1"), From: 1, To: 3, Ran: 3, Strands: 3, Changed: []int{1, 2}, Wants: []sim.Want{sends("SET", "b"), {Ended: true}}, Events: []history.Event{{Kind: history.Enter}}},
			{Observed: told(0, "1"), From: 2, To: 3},
			{Observed: told(0, "2"), From: 3, To: 4, Ran: 1, Strands: 1, Changed: []int{0}, Wants: []sim.Want{{Ended: true}}},
		},
		Walks: []KeptWalk{{3, []int32{1, 3, 4}}},
	}
}

func keptLearner() *learner {
	k := keptCode()
	return &learner{circle: alone("A"), subject: program.Subject{Nodes: 1}, nodes: []clientNode{{wants: k.Root}}}
}

// TestKeptIsRead: a record has what was kept, and is kept as it was.
func TestKeptIsRead(t *testing.T) {
	k := keptCode()
	r, ok := k.record(keptLearner())
	if !ok {
		t.Fatal("it does not fit")
	}
	if got := len(r.nodes[3].wants); got != 3 || r.nodes[3].depth != 2 || r.nodes[3].first != 2 {
		t.Errorf("node 3 is %+v", r.nodes[3])
	}
	if w := r.nodes[3].wants[0]; w.InFull() != "SET a" {
		t.Errorf("at node 3, strand 0 is about to %s", w.InFull())
	}
	if !r.covered[3].has(4) || r.covered[3].has(1) || r.covered[1] != nil || r.runs[3] != 1 {
		t.Errorf("covered %v by %v", r.covered, r.runs)
	}
	again, ok := r.code()
	if !ok || fmt.Sprintf("%+v", again) != fmt.Sprintf("%+v", k) {
		t.Errorf("%v\n%+v\n%+v", ok, again, k)
	}
}

// TestWhatDoesNotFit: what no learner can have kept is refused.
func TestWhatDoesNotFit(t *testing.T) {
	for name, change := range map[string]func(*KeptCode){
		"another root":               func(k *KeptCode) { k.Root[0] = sends("DEL", "a") },
		"more strands at the root":   func(k *KeptCode) { k.Root = append(k.Root, sim.Want{}) },
		"from nowhere":               func(k *KeptCode) { k.Ways[0].From = -1 },
		"from a later node":          func(k *KeptCode) { k.Ways[0].From = 1 },
		"to the root":                func(k *KeptCode) { k.Ways[3].To = 0 },
		"to nowhere":                 func(k *KeptCode) { k.Ways[3].To = -1 },
		"to a node that is left out": func(k *KeptCode) { k.Ways[2].To = 4 },
		"to itself":                  func(k *KeptCode) { k.Ways[3].To = 2 },
		"back":                       func(k *KeptCode) { k.Ways[4].To = 1 },
		"no such strand":             func(k *KeptCode) { k.Ways[1].Strand = 2 },
		"a negative strand":          func(k *KeptCode) { k.Ways[1].Strand = -1 },
		"a strand that has ended":    func(k *KeptCode) { k.Ways[4].Strand = 2 },
		"the same twice":             func(k *KeptCode) { k.Ways[1].Observed = k.Ways[0].Observed },
		"a change too many":          func(k *KeptCode) { k.Ways[0].Changed = []int{0, 1} },
		"a change of no strand":      func(k *KeptCode) { k.Ways[0].Changed = []int{2} },
		"a change before all":        func(k *KeptCode) { k.Ways[0].Changed = []int{-1} },
		"a strand from nowhere":      func(k *KeptCode) { k.Ways[0].Strands = 3 },
		"many strands":               func(k *KeptCode) { k.Ways[0].Strands = 1 << 40 },
		"fewer than none":            func(k *KeptCode) { k.Ways[0].Strands = -1 },
		"no command":                 func(k *KeptCode) { k.Ways[0].Wants[0].Units = nil },
		"an empty command":           func(k *KeptCode) { k.Ways[0].Wants[0].Units[0].Shown = [][]string{{}} },
		"nothing to send":            func(k *KeptCode) { k.Ways[0].Wants[0].Units[0].Cmds = nil },
		"no such node":               func(k *KeptCode) { k.Ways[0].Wants[0].Node = 1 },
		"no such connection":         func(k *KeptCode) { k.Ways[0].Wants[0].Conn = -1 },
		"it closes another":          func(k *KeptCode) { k.Ways[0].Wants[0].Closed = []sim.Link{{Node: 7}} },
		"no such observation":        func(k *KeptCode) { k.Ways[0].Wants[0].Saw = sim.SawPush + 1 },
		"a walk over nothing":        func(k *KeptCode) { k.Walks[0].Over = 5 },
		"a walk by no way":           func(k *KeptCode) { k.Walks[0].Ways = []int32{-1} },
	} {
		k := keptCode()
		change(&k)
		if _, ok := k.record(keptLearner()); ok {
			t.Errorf("%s: it fits", name)
		}
	}
	m := &Model{learners: []*learner{keptLearner(), keptLearner()}}
	if m.Recall(Kept{keptCode()}) || m.Recalls() || m.Recall(nil) {
		t.Error("one learner's is for two")
	}
	bad := keptCode()
	bad.Root = nil
	if m.Recall(Kept{keptCode(), bad}) || m.Recalls() {
		t.Error("half of it fits")
	}
	if !m.Recall(Kept{keptCode(), keptCode()}) || !m.Recalls() || m.Believes() {
		t.Error("it does not fit")
	}
}

// TestTooLargeToKeep: no record is kept in part.
func TestTooLargeToKeep(t *testing.T) {
	r := newRecord(make([]sim.Want, maxKeptStrands+2), 3)
	r.add("a", way{to: 1}, recordNode{wants: r.nodes[0].wants})
	if _, ok := r.code(); ok {
		t.Error("a record with many strands is kept")
	}
	r = newRecord(nil, 3)
	r.ways = slices.Repeat([]way{{}}, maxKeptWays+1)
	if _, ok := r.code(); ok {
		t.Error("a record with many ways is kept")
	}
}

// TestBelieved: what is believed is as trusted as it was by the same path, and that of
// another path not at all; nobody runs code for it.
func TestBelieved(t *testing.T) {
	k := keptCode()
	for _, tt := range []struct {
		order []int // of ways
		trust ran   // at the node where both orders lead
		after ran   // at the next
		kept  ran   // at the next, once it is trusted by this path
	}{{[]int{0, 2, 1, 3, 4}, 3, 1, 3}, {[]int{1, 3, 0, 2, 4}, 0, 0, 1}} {
		l := keptLearner()
		l.straight, l.kids = true, map[string]int32{}
		l.merging = merging{views: map[string]int32{}, nodes: map[string][]int32{}, covered: map[int32]bitset{}}
		l.nodes[0].views = make([]int32, 2)
		m := &Model{learners: []*learner{l}}
		if !m.Recall(Kept{k}) {
			t.Fatal("it does not fit")
		}
		at := map[int32]int32{0: 0} // by node of the record
		for _, n := range tt.order {
			w := &k.Ways[n]
			id, err := l.after(at[w.From], w.Strand, w.Observation)
			if err != nil {
				t.Fatal(err)
			}
			at[w.To] = l.ways[id].to
		}
		if n := l.nodes[at[3]]; n.ran != tt.trust || !n.hearsay || len(n.wants) != 3 || !m.Believes() {
			t.Errorf("%v: %+v", tt.order, n)
		}
		if n := l.nodes[at[4]]; n.ran != tt.after {
			t.Errorf("%v: then %+v", tt.order, n)
		}
		l.nodes[at[4]].ran = 3
		if l.record(); l.kept.record.nodes[4].ran != tt.kept {
			t.Errorf("%v: kept as %+v", tt.order, l.kept.record.nodes[4])
		}
	}
}
