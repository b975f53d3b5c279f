package explore

import (
	"reflect"
	"slices"
	"testing"

	"lockstep/internal/testkit/simtest"
	"lockstep/sim/program"
)

// TestLargerWorlds: each is larger by one bound, and the question stays what it was.
func TestLargerWorlds(t *testing.T) {
	keepsTime := Lock{ID: "own-timers", Subject: program.Subject{Nodes: 1, Start: simtest.Subject(t, "zk-lock").Start}}
	for _, tt := range []struct {
		lock   Lock
		hazard string
		states int      // of the usual world
		want   [][3]int // clients, rounds, faults
	}{
		{lockOf(t, "set-lua"), "contention", 1, [][3]int{{3, 1, 0}, {2, 2, 0}}},
		{lockOf(t, "set-lua"), "crash", LargerStates, [][3]int{{3, 1, 1}, {2, 2, 1}, {2, 1, 2}}},
		{lockOf(t, "set-lua"), "crash", LargerStates + 1, nil},
		{lockOf(t, "redlock"), "partition", 1, [][3]int{{3, 1, 2}, {2, 2, 2}, {2, 1, 3}}},
		{lockOf(t, "zk-lock"), "contention", 1, [][3]int{{3, 1, 0}, {2, 2, 0}}},
		{keepsTime, "crash", 1, nil},
	} {
		h, _ := FindHazard(tt.hazard)
		q, again := Within(Bounds{States: 9, Depth: 7}, "A", "B")(tt.lock, h), Within(Bounds{States: 9, Depth: 7}, "A", "B")(tt.lock, h)
		var got [][3]int
		for _, l := range q.Larger(tt.states) {
			b := l.Hazard.Bounds
			got = append(got, [3]int{len(l.Config.Clients), l.Config.Rounds, b.Budget})
			if b.States != LargerStates || b.Depth != 7 || l.Config.Check() != nil {
				t.Errorf("%s, %s: %d states, depth %d, %v", tt.lock.ID, tt.hazard, b.States, b.Depth, l.Config.Check())
			}
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s, %s: %v, want %v", tt.lock.ID, tt.hazard, got, tt.want)
		}
		if !slices.Equal(q.Config.Clients, again.Config.Clients) || q.Config.Rounds != again.Config.Rounds || !reflect.DeepEqual(q.Hazard.Bounds, again.Hazard.Bounds) {
			t.Errorf("%s, %s: the question has become %s %+v", tt.lock.ID, tt.hazard, q.Config, q.Hazard.Bounds)
		}
	}
}
