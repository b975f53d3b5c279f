package pages

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"lockstep/internal/testkit"
)

// shown are the keys that lead to frames with everything that has a colour.
var shown = func() (all [][]string) {
	for _, row := range table("shown") {
		all = append(all, strings.Fields(row[0]))
	}
	return all
}()

// inColour returns a frame after keys, with the 16 colours and without.
func inColour(t testing.TB, keys []string) (coloured, plain string) {
	t.Helper()
	m := start(t, Options{Story: parse(t, crashStory)}, 80, 24)
	if len(keys) > 0 && keys[0] == "m" {
		m = opened(t, Options{}, 80, 24)
	}
	press(m, keys...)
	return colourful(m), check(t, m)
}

// TestColourChangesNoWord: without its colours a frame has the same words and marks, but
// for rules and bars: a colourful terminal underlines.
func TestColourChangesNoWord(t *testing.T) {
	testkit.Single(t)
	lines := regexp.MustCompile("[╌╎ ]")
	for _, keys := range shown {
		coloured, plain := inColour(t, keys)
		if !strings.Contains(coloured, "\x1b[") {
			t.Error("no colour at all")
		}
		if got := lines.ReplaceAllString(ansi.Strip(coloured), ""); got != lines.ReplaceAllString(plain, "") {
			t.Errorf("after %v with colour:\n%s\nwithout:\n%s", keys, got, plain)
		}
	}
}

// TestColourSaysNothingMore: whatever has a colour has a sign or a word, on its
// line, above its cell or where the passage begins, that says the same.
func TestColourSaysNothingMore(t *testing.T) {
	testkit.Single(t)
	says := map[string]*regexp.Regexp{ // by the colour's number, or that of reversing
		"1": regexp.MustCompile(`✗|VIOLATED|WRONG|[✟◷∅]`),
		"2": regexp.MustCompile(`✓|HOLDS|Right|⊘`),
		"5": regexp.MustCompile(`\? |Press |Next |BUG\(lesson\)|last part|B|◉|▮`), // B
		"6": nil,                                                                  // A: its lane, under its name, and its bands
		"7": regexp.MustCompile("▸"),                                              // reversed: the line of source, the chosen cell
	}
	span := regexp.MustCompile(`\x1b\[([0-9;]+)m([^\x1b]*)`)
	met := map[string]bool{}
	for _, keys := range shown {
		coloured, _ := inColour(t, keys)
		passage := map[string]bool{} // colours that the line above has, and says
		pointed := -1                // the column below the ruler's mark
		for _, line := range strings.Split(coloured, "\n") {
			here := map[string]bool{}
			if before, _, ruler := strings.Cut(ansi.Strip(line), "▾"); ruler {
				pointed = ansi.StringWidth(before)
			}
			for _, at := range span.FindAllStringSubmatchIndex(line, -1) {
				found := []string{"", line[at[2]:at[3]], line[at[4]:at[5]]}
				for _, code := range strings.Split(found[1], ";") {
					colour := strings.TrimPrefix(code, "3")
					if slices.Contains([]string{"0", "1", "2", "4"}, code) || strings.TrimSpace(found[2]) == "" {
						continue // bold, faint, underlined
					}
					if code == "7" && (ansi.StringWidth(line[:at[0]]) == pointed || regexp.MustCompile(`^[A-Z1-9]$`).MatchString(found[2])) {
						continue // or the number of a cause, or the owner of the lock
					}
					want, known := says[colour]
					met[colour] = true
					if !known {
						t.Errorf("after %v: colour %s of %q", keys, code, found[2])
						continue
					}
					if here[colour] = want == nil || passage[colour] || want.MatchString(ansi.Strip(line)); !here[colour] {
						t.Errorf("after %v only a colour says what this is: %q", keys, line)
					}
				}
			}
			passage = here
		}
	}
	if got := slices.Sorted(maps.Keys(met)); len(got) != len(says) {
		t.Errorf("only the colours %v were met", got)
	}
}
