package sim

import (
	"slices"
	"testing"

	"lockstep/sim/history"
)

// TestEveryVerbHasARule: what is a verb can happen, and nothing else can.
func TestEveryVerbHasARule(t *testing.T) {
	for _, v := range history.Verbs() {
		if rules[v].effect == nil {
			t.Errorf("%s has no rule", v)
		}
	}
	for v := range rules {
		if !slices.Contains(history.Verbs(), v) {
			t.Errorf("%s has a rule, and is not among history.Verbs()", v)
		}
	}
}
