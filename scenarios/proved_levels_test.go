package scenarios

import (
	"slices"
	"strings"
	"testing"

	"lockstep/internal/prose"
	"lockstep/strategies"
)

// TestProvedLevelsHaveTexts: every lock has levels, each with a name and a goal
// in every language, and with hints.
func TestProvedLevelsHaveTexts(t *testing.T) {
	levels, err := ProvedLevels()
	if err != nil {
		t.Fatal(err)
	}
	for _, info := range strategies.Catalogue() {
		if !slices.ContainsFunc(levels, func(l Level) bool { return l.Config.Strategy == info.ID }) {
			t.Errorf("%s has no level", info.ID)
		}
	}
	for _, lang := range prose.Languages() {
		book, err := prose.Load(lang)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range levels {
			about := l.About(book, lang)
			if about.Name == "" || !strings.Contains(about.Goal, l.Goal) || slices.Contains([]string{about.Hint1, about.Hint2, about.Hint3}, "") {
				t.Errorf("%s, %s: %+v", lang, l.ID, about)
			}
		}
	}
}
