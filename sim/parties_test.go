package sim

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"lockstep/sim/history"
)

// TestUnits: what a node executes without anything in between.
func TestUnits(t *testing.T) {
	cmds := func(names ...string) (list [][]string) {
		for _, name := range names {
			list = append(list, []string{name})
		}
		return list
	}
	for _, test := range []struct {
		cmds [][]string
		want string
	}{
		{nil, ""},
		{cmds("GET"), "[[GET]]"},
		{cmds("GET", "SET"), "[[GET]] [[SET]]"},
		{cmds("MULTI", "SET", "EXEC", "GET"), "[[MULTI] [SET] [EXEC]] [[GET]]"},
		{cmds("GET", "MULTI", "DISCARD", "MULTI", "SET"), "[[GET]] [[MULTI] [DISCARD]] [[MULTI] [SET]]"},
	} {
		got := ""
		for i, u := range Units(test.cmds) {
			if i > 0 {
				got += " "
			}
			got += fmt.Sprint(u.Cmds)
			if cap(u.Cmds) > len(u.Cmds) {
				t.Errorf("%v can grow into what follows it", u.Cmds)
			}
		}
		if got != test.want {
			t.Errorf("%v is %s, want %s", test.cmds, got, test.want)
		}
	}
}

// TestAwaits: a strand goes on only with what can come of what it does.
func TestAwaits(t *testing.T) {
	for _, test := range []struct {
		want   Want
		awaits []Saw
	}{
		{Want{}, []Saw{SawNothing}},
		{Want{Fresh: true}, []Saw{SawNothing}},
		{Want{Sleeps: true, For: time.Second}, []Saw{SawNothing}},
		{Want{Saw: SawNow}, []Saw{SawNow}},
		{Want{Saw: SawAccess}, []Saw{SawAccess}},
		{Want{Saw: SawReply}, []Saw{SawReply, SawTimeOut, SawRefused, SawReset}},
		{Want{Saw: SawPush}, []Saw{SawReset, SawPush}},
		{Want{Stays: true}, nil},
		{Want{Ended: true}, nil},
		{Want{Ended: true, Saw: SawReply}, nil},
		{Want{Ended: true, Saw: SawPush}, nil},
	} {
		var got []Saw
		for kind := SawNothing; kind <= SawPush; kind++ {
			if test.want.Awaits(kind) {
				got = append(got, kind)
			}
		}
		if !slices.Equal(got, test.awaits) {
			t.Errorf("%+v awaits %v, want %v", test.want, got, test.awaits)
		}
	}
}

// TestConnNames: no name is the beginning of another's.
func TestConnNames(t *testing.T) {
	if got := ConnName("A", 1); got != "A/1." {
		t.Error(got)
	}
	if got := history.NodeName(8); got != "r9" {
		t.Error(got)
	}
	for i, nodes := range map[int]int{-1: 8, 8: 9} {
		if got := nodeIndex("r9", nodes); got != i {
			t.Errorf("r9 of %d is %d", nodes, got)
		}
	}
}

// TestAccess: what the resource does, and what it refuses.
func TestAccess(t *testing.T) {
	was := ResourceState{Value: 3, Version: 4, Fence: 5}
	for _, test := range []struct {
		access Access
		op     string
		value  int64
		leaves ResourceState
	}{
		{Access{Op: history.Enter, Fence: 9}, history.Enter, 0, was},
		{Access{Op: history.ReadOp}, history.ReadOp, 3, was},
		{Access{Op: history.ReadOp, Fence: 4}, history.Refuse, 3, was},
		{Access{Op: history.ReadOp, Fence: 5}, history.ReadOp, 3, was},
		{Access{Op: history.ReadOp, Fence: 6}, history.ReadOp, 3, ResourceState{3, 4, 6}},
		{Access{Op: history.WriteOp, Value: 2}, history.WriteOp, 2, ResourceState{2, 5, 5}},
		{Access{Op: history.WriteOp, Value: 2, Based: 3}, history.WriteOp, 2, ResourceState{2, 5, 5}},
		{Access{Op: history.WriteOp, Value: 2, Based: 3, Conditional: true}, history.Refuse, 2, was},
		{Access{Op: history.WriteOp, Value: 2, Based: 3, Conditional: true, Fence: 9}, history.Refuse, 2, was},
		{Access{Op: history.WriteOp, Value: 2, Based: 4, Conditional: true}, history.WriteOp, 2, ResourceState{2, 5, 5}},
		{Access{Op: history.WriteOp, Value: 2, Fence: 4}, history.Refuse, 2, was},
		{Access{Op: history.WriteOp, Value: 2, Fence: 5}, history.WriteOp, 2, ResourceState{2, 5, 5}}, // its own access does not outdate a token
		{Access{Op: history.WriteOp, Value: 2, Fence: 7}, history.WriteOp, 2, ResourceState{2, 5, 7}},
	} {
		a := test.access
		after, err := InMemory{}.Do(was, &a)
		if err != nil || a.Op != test.op || a.Value != test.value || a.Version != after.Version || after != test.leaves {
			t.Errorf("%+v became %+v and left %+v", test.access, a, after)
		}
	}
}

// TestObservations: as text, none is another.
func TestObservations(t *testing.T) {
	seen := map[string]Observation{}
	for _, o := range []Observation{
		{}, {Kind: SawNow, Shown: epoch}, {Kind: SawNow, Shown: epoch.Add(1)}, {Kind: SawNow}, {Kind: SawReply, Reply: []byte("a")},
		{Kind: SawReply, Reply: []byte("b")}, {Kind: SawReply, Reply: []byte("a"), Shown: epoch}, {Kind: SawTimeOut}, {Kind: SawRefused},
		{Kind: SawReset}, {Kind: SawAccess, Access: Access{Op: "read", Value: 1, Version: 2}}, {Kind: SawAccess, Access: Access{Op: "write", Value: 1, Version: 2}},
		{Kind: SawAccess, Access: Access{Op: "read", Value: 12, Version: 2}}, {Kind: SawAccess, Access: Access{Op: "read", Value: 1, Version: 22}},
		{Kind: SawAccess, Access: Access{Op: "read", Value: -1, Version: 2}},
	} {
		if other, ok := seen[o.String()]; ok {
			t.Errorf("%+v and %+v are both %q", o, other, o)
		}
		seen[o.String()] = o
	}
	if got := (Observation{Kind: SawReply, Reply: []byte("+OK\r\n"), Shown: time.Unix(0, 5)}).String(); got != "c+OK\r\n@5\n" {
		t.Errorf("%q", got)
	}
}

// TestShifted: what came of a unit at another time has its deadlines there, and the
// original keeps its own.
func TestShifted(t *testing.T) {
	before, after, none := &history.KeyState{Deadline: 5}, &history.KeyState{Deadline: 7}, &history.KeyState{Value: "v"}
	x := Executed{Happened: Happened{Changes: []history.Change{{Before: before, After: after}, {Before: none}}}}
	y := x.Shift(10)
	if y.Changes[0].Before.Deadline != 15 || y.Changes[0].After.Deadline != 17 || *y.Changes[1].Before != *none || y.Changes[1].After != nil {
		t.Errorf("%+v", y.Changes)
	}
	if before.Deadline != 5 || x.Changes[0].After != after {
		t.Errorf("the original became %+v", x.Changes)
	}
}

// TestStranded: a client that listens is stranded only if nothing more happens by itself.
func TestStranded(t *testing.T) {
	for _, test := range []struct {
		name, world, play string
		want              int
	}{
		{"it waits for a message", "1: hear 7, now", "", 0},
		{"the second of two", "1: now | hear 7, now", "A", 1},
		{"nobody waits", "1: now", "A", -1},
		{"another one can go on", "1: hear 7, now | now", "", -1},
		{"another one sleeps", "1: hear 7, now | sleep 5, now", "B", -1},
		{"a key expires", "1 r1.k=5: hear 7, now", "", -1},
		{"a key that stays", "1 r1.k=0: hear 7, now", "", 0},
		{"the message is there", "1: hear 7, now | TELL A/7. one", "B", -1},
		{"a late request is in transit", "1: hear 7, now | SET k", "B.send +10 B", -1},
		{"it has arrived", "1: hear 7, now | SET k", "B.send +10 B B.late", 0},
		{"its own late request", "1: SET k, hear 7, now", "A.send +10 A", -1},
	} {
		w := worldOf(test.world)
		w.play(t, test.play)
		if got := w.Stranded(&w.Parties); got != test.want {
			t.Errorf("%s: client %d, want %d; %q", test.name, got, test.want, w.log)
		}
	}
}
