package scenarios

import (
	"testing"

	"lockstep/internal/explain"
	"lockstep/sim/history"
	"lockstep/strategies"
)

// TestExploredUnder: a proof is one only under the one hazard of a run, and where the
// search was not cut short; a counterexample is one always.
func TestExploredUnder(t *testing.T) {
	cells := []Explored{
		{Lock: "x", Hazard: "crash", Violates: []string{history.Leak}},
		{Lock: "x", Hazard: "hang", Violates: []string{history.Leak}, Cut: true},
		{Lock: "y", Hazard: "crash"},
	}
	for _, c := range []struct {
		hazards   []string
		invariant string
		want      explain.Exploration
		known     bool
	}{
		{[]string{"crash"}, history.StaleWrite, explain.Exploration{Holds: true, Hazard: "crash"}, true},
		{[]string{"crash"}, history.Leak, explain.Exploration{Hazard: "crash"}, true},
		{[]string{"hang"}, history.StaleWrite, explain.Exploration{}, false},
		{[]string{"hang"}, history.Leak, explain.Exploration{Hazard: "hang"}, true},
		{[]string{"crash", "hang"}, history.StaleWrite, explain.Exploration{}, false},
		{[]string{"crash", "hang"}, history.Leak, explain.Exploration{Hazard: "crash"}, true},
		{[]string{"overrun"}, history.Leak, explain.Exploration{}, false},
	} {
		if got, known := exploredUnder(cells, "x", c.hazards)[c.invariant]; got != c.want || known != c.known {
			t.Errorf("%v, %s: %+v, known %t", c.hazards, c.invariant, got, known)
		}
	}
}

// TestExploredCells: the table knows every lock and hazard by its name.
func TestExploredCells(t *testing.T) {
	cells := ExploredCells()
	if len(cells) < 200 {
		t.Fatalf("%d cells", len(cells))
	}
	for _, c := range cells {
		if _, ok := strategies.Find(c.Lock); !ok {
			t.Errorf("%+v: no such lock", c)
		}
		for _, v := range c.Violates {
			if history.Short(v) == "" {
				t.Errorf("%+v: no such invariant", c)
			}
		}
	}
}
