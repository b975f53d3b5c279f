package explore

import (
	"testing"

	"lockstep/internal/lang"
	"lockstep/sim/history"
)

// TestProperties: what a contract allows of an invariant is another property than the rest.
func TestProperties(t *testing.T) {
	ids := history.Invariants()
	if len(ids) > firstAllowed {
		t.Fatalf("%d invariants", len(ids))
	}
	e := &search{options: Options{Contract: func(v history.Violation) lang.Word { return lang.Word(v.Client) }}}
	set := e.setOf([]history.Violation{{Invariant: ids[2]}, {Invariant: ids[5], Client: "A"}, {Invariant: ids[2]}, {Invariant: ids[5]}})
	for p := range 2 * firstAllowed {
		if set.has(p) != (p == 2 || p == 5 || p == firstAllowed+5) {
			t.Errorf("%b has %d: %t", set, p, set.has(p))
		}
	}
}
