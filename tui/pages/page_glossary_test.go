package pages

import (
	"os"
	"regexp"
	"slices"
	"testing"

	"lockstep/internal/testkit"
)

// TestGlossaryIsWhole: it has every term that there is.
func TestGlossaryIsWhole(t *testing.T) {
	terms := testkit.Must(os.ReadFile("../../internal/prose/en/terms.toml"))(t)
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
