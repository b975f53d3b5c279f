package explore

import (
	"slices"
	"testing"

	"lockstep/internal/lang"
)

// TestFaultWords: every fault of a hazard is among the words that are translated.
func TestFaultWords(t *testing.T) {
	for _, h := range Hazards() {
		for _, f := range h.Bounds.Faults {
			if !slices.Contains(faultWords, lang.Word(f.Verb)) {
				t.Errorf("%s: %s is not among the words", h.ID, f.Verb)
			}
		}
	}
}
