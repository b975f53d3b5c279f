package explore

import (
	"fmt"
	"slices"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/internal/testkit/judge"
	"lockstep/internal/testkit/simtest"
	"lockstep/sim/history"
	"lockstep/sim/model"
	"lockstep/sim/program"
	"lockstep/sim/world"
)

// naiveGood reports, by replaying real worlds, whether a good ending can follow
// a schedule.
func naiveGood(t *testing.T, r Report, s program.Subject, from history.Schedule, invariant string, seen map[string]bool) bool {
	w := testkit.Must(world.New(r.Config, s))(t)
	defer w.Close()
	simtest.Record(w)
	testkit.OK(t, w.Run(from))
	h := w.History()
	judge.Agree(t, h)
	m := history.NewMonitor(h.Config, h.Nodes)
	for _, e := range h.Events {
		for _, v := range m.Observe(e) {
			if v.Invariant == invariant {
				return false
			}
		}
	}
	key := simtest.Canonical(w) + string(m.Canonical()) + fmt.Sprint(r.Bounds.Spending(from))
	if seen[key] {
		return false
	}
	seen[key] = true
	ended := true
	for _, name := range r.Config.Clients {
		ended = ended && (!w.Alive(name) || !slices.ContainsFunc(w.Strands(name), func(v world.StrandView) bool { return !v.Ended }))
	}
	if ended {
		return true
	}
	for _, a := range r.Bounds.Allowed(w, r.Bounds.Spending(from)) {
		if !r.Bounds.IsFault(a.Verb) && naiveGood(t, r, s, append(from[:len(from):len(from)], a), invariant, seen) {
			return true
		}
	}
	return false
}

// TestPointOfNoReturn compares with the replay of real worlds: a good ending
// exists one action before the point, and none after it.
func TestPointOfNoReturn(t *testing.T) {
	known := map[string]int{}
	for _, lock := range []string{"set-del", "reentrant-leak", "reentrant-misprint"} {
		for _, hazard := range []string{"contention", "overrun"} {
			r := check(t, lockOf(t, lock), hazard)
			for _, f := range r.Found {
				known[fmt.Sprint(lock, " ", hazard, " ", f.Violation.Invariant)] = f.Point
				good := func(n int) bool {
					return naiveGood(t, r, simtest.Subject(t, lock), f.Schedule[:n], f.Violation.Invariant, map[string]bool{})
				}
				switch {
				case f.Point == fromTheStart:
					if good(0) {
						t.Errorf("%s, %s: %s is said to be lost from the start", lock, hazard, f.Violation.Invariant)
					}
				case f.Point < 1 || f.Point > len(f.Schedule) || !good(f.Point-1) || good(f.Point):
					t.Errorf("%s, %s: the point of no return of %s is not %d", lock, hazard, f.Violation.Invariant, f.Point)
				}
			}
		}
	}
	for what, point := range map[string]int{
		"set-del overrun mutual-exclusion": 7, "reentrant-leak contention leak": fromTheStart, "set-del overrun phantom-hold": 3,
	} {
		if known[what] != point {
			t.Errorf("%s: the point of no return is %d, want %d", what, known[what], point)
		}
	}
	t.Log(known)
}

// TestNoReturnKeepsToTheMemory: the search for a good ending respects the
// memory and is given up.
func TestNoReturnKeepsToTheMemory(t *testing.T) {
	h, _ := FindHazard("contention")
	l := lockOf(t, "watchdog-lua")
	for _, tt := range []struct {
		memory int
		gaveUp bool
	}{{0, false}, {1, true}} {
		e := newSearch(t.Context(), model.New(t.Context(), h.Config(l, "A", "B", "C"), l.Subject, false), h.Bounds, Options{})
		e.bounds.Memory = tt.memory
		n := e.newNoReturn(slices.Index(history.Invariants(), history.MutualExclusion))
		n.looked = 999 // the memory is checked every thousand states
		good, err := n.good(e.initial())
		if err != nil || good == tt.gaveUp || n.looked > maxEndings != tt.gaveUp {
			t.Errorf("%d bytes: a good ending %t, %d states, %v", tt.memory, good, n.looked, err)
		}
		e.Close()
	}
}
