package explore

import (
	"reflect"
	"testing"

	"lockstep/sim/history"
)

// TestCountEvents counts what makes a proof vacuous.
func TestCountEvents(t *testing.T) {
	gone := func(key string) history.Event {
		return history.Event{Kind: history.Expire, Changes: []history.Change{{Key: key}}}
	}
	acquire := history.Event{Kind: history.Invoke, Op: history.OpAcquire}
	read := history.Event{Kind: history.Resource, Op: history.ReadOp}
	for _, tt := range []struct {
		name   string
		events []history.Event
		want   Counts
	}{
		{"entered", []history.Event{{Kind: history.Resource, Op: history.Enter}}, Counts{Enters: 1}},
		{"refused", []history.Event{{Kind: history.Return, Outcome: history.Refused}}, Counts{Refused: 1}},
		{"refused by the resource", []history.Event{{Kind: history.Resource, Op: history.Refuse}}, Counts{Refused: 1}},
		{"failed", []history.Event{{Kind: history.Fail, Op: history.OpAcquire}, {Kind: history.Fail, Op: history.OpRelease}}, Counts{Failed: 1}},
		{"the lock's key", []history.Event{gone("lock:stock")}, Counts{Expired: 1}},
		{"another's", []history.Event{gone("lock:stock:fence")}, Counts{}},
		{"again", []history.Event{read, acquire}, Counts{Nested: 1}},
		{"for the first time", []history.Event{acquire, read}, Counts{}},
		{"a script", []history.Event{{Kind: history.Apply, Cmds: [][]string{{"EVALSHA"}}}}, Counts{Scripts: 1}},
		{"none", []history.Event{{Kind: history.Apply, Cmds: [][]string{{"GET"}}}}, Counts{}},
		{"a clock", []history.Event{{Kind: history.Read}}, Counts{Clocks: 1}},
	} {
		if got := countEvents(tt.events, "lock:stock"); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
	all := Counts{1, 2, 3, 4, 5, 6, 7, 8, 9, map[history.Verb]int{history.Crash: 10}, Renewal{}}
	sum := Counts{Faults: map[history.Verb]int{}}
	sum.Add(all, 2)
	sum.Add(all, 1)
	if want := (Counts{3, 6, 9, 12, 15, 18, 21, 24, 27, map[history.Verb]int{history.Crash: 30}, Renewal{}}); !reflect.DeepEqual(sum, want) {
		t.Errorf("added up %+v, want %+v", sum, want)
	}
}
