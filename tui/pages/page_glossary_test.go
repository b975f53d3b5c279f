package pages

import (
	"os"
	"regexp"
	"slices"
	"testing"
)

// TestGlossary: a second ? leads to the words, a third one or esc back to the
// page, whatever that is.
func TestGlossary(t *testing.T) {
	for _, away := range []string{"?", "esc"} {
		m := start(t, Options{Story: parse(t, crashStory)}, 80, 24)
		before := check(t, m)
		press(m, "?", "?")
		wantIn(t, m, "On the screen", "A/1", "r1, r2")
		press(m, "G")
		wantIn(t, m, "schedule  The list of picks")
		press(m, away)
		if got := check(t, m); got != before {
			t.Errorf("after %s:\n%s\nwant:\n%s", away, got, before)
		}
	}
}

// TestGlossaryIsWhole: it has every term that there is.
func TestGlossaryIsWhole(t *testing.T) {
	terms, err := os.ReadFile("../../internal/prose/en/terms.toml")
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, m := range regexp.MustCompile(`(?m)^\[(.+)\]$`).FindAllStringSubmatch(string(terms), -1) {
		want = append(want, m[1])
	}
	got := slices.Concat(onScreen, ofBands, spokenOf)
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("the page has %v, the file %v", got, want)
	}
}
