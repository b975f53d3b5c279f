package explore

import (
	"context"
	"strings"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/internal/testkit/simtest"
	"lockstep/sim/history"
	"lockstep/sim/model"
	"lockstep/sim/program"
	"lockstep/strategies"
)

var matrixLimits = Bounds{States: 5000, Depth: 60}

func matrixLocks(t *testing.T, ids ...string) []Lock {
	var locks []Lock
	for _, id := range ids {
		locks = append(locks, Lock{id, simtest.Subject(t, id)})
	}
	return locks
}

func matrixHazards(t *testing.T, ids ...string) []Hazard {
	var hazards []Hazard
	for _, id := range ids {
		h, ok := FindHazard(id)
		if !ok {
			t.Fatalf("no hazard %q", id)
		}
		hazards = append(hazards, h)
	}
	return hazards
}

func TestMatrixLimits(t *testing.T) {
	cells := testkit.Must(Matrix(t.Context(), matrixLocks(t, "set-del"), matrixHazards(t, "contention", "contention"),
		Within(Bounds{States: 5, Depth: 60, Ticks: 99, Budget: 99}, "A", "B"), 1, nil, nil))(t)
	b := cells[0].Bounds
	if v, why := cells[0].Verdict(); v != Inconclusive || b.Ticks != 4 || b.Budget != 0 {
		t.Errorf("%s (%s) within %+v", v, why, b)
	}
}

// TestUnbrokenGoesOn: States ends a cell with a violation, and Unbroken one
// without.
func TestUnbrokenGoesOn(t *testing.T) {
	limits := Bounds{States: 50, Unbroken: 90, Depth: 60}
	for _, tt := range []struct {
		lock, hazard string
		verdict      Verdict
		limit        string
	}{
		{"set-del", "contention", Holds, ""},                // 64 states
		{"set-del", "overrun", Violated, "states"},          // more, and violated within 50
		{"watch-del", "contention", Inconclusive, "states"}, // 71
		{"optimistic-version", "contention", Holds, ""},     // 13
	} {
		cells := testkit.Must(Matrix(t.Context(), matrixLocks(t, tt.lock), matrixHazards(t, tt.hazard),
			Within(limits, "A", "B"), 1, nil, nil))(t)
		r := &cells[0]
		if v, _ := r.Verdict(); v != tt.verdict || r.Limit != tt.limit {
			t.Errorf("%s, %s: %s with the limit %q after %d states", tt.lock, tt.hazard, v, r.Limit, r.States)
		}
		if line := "at most 50 states once something is violated, and 90 until then"; !strings.Contains(r.Assumptions().String(), line) {
			t.Errorf("%q does not say %q", r.Assumptions(), line)
		}
	}
}

func TestMatrixStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var last int
	cells, err := Matrix(ctx, matrixLocks(t, "setnx", "set-del"), matrixHazards(t, "contention", "reentry"),
		Within(matrixLimits, "A", "B"), 1, nil, func(done, _ int, _ Report) {
			last = done
			cancel()
		})
	if err != nil || len(cells) != 4 || last != 1 {
		t.Fatalf("%d cells, %v, after %d", len(cells), err, last)
	}
	for i, c := range cells {
		want := Inconclusive
		if i == 0 {
			want = Holds
		}
		if v, _ := c.Verdict(); v != want || c.Config.Strategy == "" || c.Hazard == "" {
			t.Errorf("cell %d, %s, %s: %s, want %s", i, c.Config.Strategy, c.Hazard, v, want)
		}
	}
}

// TestMatrixError: a nondeterministic lock ends the work with an error that
// names it.
func TestMatrixError(t *testing.T) {
	info, _ := strategies.Find("setnx")
	calls := 0
	fickle := Lock{"fickle", program.Subject{Nodes: 1, New: func(e strategies.Env) strategies.Lock {
		if calls++; calls%2 == 0 {
			e.Key += "2"
		}
		return info.New(e)
	}}}
	locks := append([]Lock{fickle}, matrixLocks(t, "set-del")...)
	cells, err := Matrix(t.Context(), locks, matrixHazards(t, "contention"), Within(matrixLimits, "A", "B"), 1, nil, func(done, _ int, _ Report) {
		t.Errorf("%d cells were done", done)
	})
	if err == nil || cells != nil || !strings.HasPrefix(err.Error(), "fickle") {
		t.Errorf("%d cells, %v", len(cells), err)
	}
}

// TestMatrixPanic: a panic of the explorer is an error. A panic of a lock is
// only the death of its client.
func TestMatrixPanic(t *testing.T) {
	broken := Hazard{ID: "broken", Set: func(*history.Config) { panic("boom") }}
	_, err := Matrix(t.Context(), matrixLocks(t, "setnx"), []Hazard{broken}, Within(matrixLimits, "A", "B"), 1, nil, nil)
	if err == nil || err.Error() != "setnx, broken: panic: boom" {
		t.Errorf("a panic gives %v", err)
	}
}

// learned clears what depends on how much had to be learned and on the size of
// numbers: a matrix learns once for several cells.
func learned(r Report) Report {
	r.ClientRuns, r.NodeRuns, r.Bytes, r.Merging = 0, 0, 0, model.Merging{}
	return r
}
