package pages

import (
	"testing"

	"lockstep/internal/progress"
)

// TestSettled: to open a level, or to be wrong about it, does not settle it.
func TestSettled(t *testing.T) {
	m := start(t, Options{}, 80, 24)
	for id, tests := range map[string]map[progress.Level]bool{
		"delete-the-next": {{}: false, {Claimed: true}: false, {GaveUp: true}: true, {Moves: 12}: true},
		"compared-in-one": {{}: false, {Claimed: true}: true, {GaveUp: true}: true},
	} {
		for r, want := range tests {
			if m.progress.Levels[id] = r; m.isSettled(id) != want {
				t.Errorf("%s with %+v: settled %t", id, r, !want)
			}
		}
	}
}
