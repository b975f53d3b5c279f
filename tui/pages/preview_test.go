package pages

import (
	"slices"
	"strings"
	"testing"

	"lockstep/scenarios"
	"lockstep/strategies"
)

// TestShelves: every lock stands in exactly one group, each marked fault among those of
// the tutorials, and every lock has a badge that the explorer's verdicts give.
func TestShelves(t *testing.T) {
	var ids []string
	for i, shelf := range shelves() {
		for _, info := range shelf.locks {
			ids = append(ids, info.ID)
			source := strategies.Source(info.File)
			if printed := strings.Contains(source, "// BUG(lesson): "); printed != (i == 0) {
				t.Errorf("%s stands under %s", info.ID, shelf.heading)
			}
		}
	}
	for _, info := range strategies.Catalogue() {
		if n := len(slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return id != info.ID })); n != 1 {
			t.Errorf("%s is listed %d times", info.ID, n)
		}
	}
	m := start(t, Options{}, 100, 45)
	for _, info := range strategies.Catalogue() {
		standing := scenarios.StandingOf(info.ID)
		if len(standing) == 0 {
			t.Fatalf("%s: nothing is known", info.ID)
		}
		needless, limits := apart(standing)
		sign := "✓ holds"
		switch {
		case len(needless) > 0:
			sign = "✗ " + m.Hazard(needless[0].Hazard).Name
		case len(limits) > 0:
			sign = "~ " + m.Hazard(limits[0].Hazard).Name
		}
		line := ""
		for _, l := range strings.Split(m.View(), "\n") {
			if fields := strings.Fields(strings.TrimPrefix(l, "▸")); len(fields) > 1 && fields[0] == info.ID {
				line = l
			}
		}
		if !strings.Contains(line, sign) {
			t.Errorf("%s: %q in %q", info.ID, sign, line)
		}
	}
	wantIn(t, m, "delex-ifeq           ~ Hang (two inside), 9 more")
	press(m, "?")
	wantIn(t, m, "~ Breaks only where")
}
