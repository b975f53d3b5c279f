package pages

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// footed is on the screen of a row of the table.
func footed(t *testing.T, row []string, language string) *Shell {
	t.Helper()
	o := Options{Lang: language, Matrix: canned(t, nil), At: number(row[2])}
	if row[1] != "" {
		o.Story = parse(t, ownStories[row[1]])
	}
	m := start(t, o, 80, 24)
	press(m, strings.Fields(row[3])...)
	return m
}

// TestFooter: at every width each key is whole, and the way out is there; at 60
// and 80 columns so is what a screen is for.
func TestFooter(t *testing.T) {
	for _, row := range table("footers") {

		t.Run(row[0], func(t *testing.T) {
			m := footed(t, row, "")
			for w := leastWidth; w < 200; w++ {
				m.Update(Size{Width: w, Height: 24})
				got := m.footer().Text()
				for i, item := range strings.Split(got, "  ") {
					name, does, worded := strings.Cut(item, " ")
					if letters := strings.Fields(item); item == ".." || !slices.ContainsFunc(letters, func(l string) bool { return l != ".." && utf8.RuneCountInString(l) > 1 }) && (worded || i > 0) {
						for _, l := range letters { // of keys for whose words there is no room
							if k, ok := find(m.keys(), l); l != ".." && (!ok || k.off) {
								t.Errorf("at %d: %q is no key: %q", w, l, got)
							}
						}
						continue
					}
					whole := func(text string) bool { return text == does }
					var all []string
					for _, k := range m.keys() {
						if !k.off && strings.HasPrefix(k.names(m.Book), name) {
							all = append(all, k.text(m.Book))
						}
					}
					if !slices.ContainsFunc(all, whole) {
						t.Errorf("at %d: %q is not a key as a whole: %q", w, item, got)
					}
				}
				if !strings.HasPrefix(got, row[6]) || !strings.Contains(got, "? help  q quit") || ansi.StringWidth(got) > w {
					t.Errorf("at %d: %q", w, got)
				}
				if w == 60 && got != row[4] || w == 80 && got != row[5] {
					t.Errorf("at %d: %q", w, got)
				}
			}
		})
	}
}

// TestFooterInWideLetters: where a name takes two cells, as 右 does, the last key is whole too.
func TestFooterInWideLetters(t *testing.T) {
	for _, row := range table("footers") {
		m := footed(t, row, "zh")
		for w := leastWidth; w < 200; w++ {
			m.Update(Size{Width: w, Height: 24})
			if got := m.footer().Text(); ansi.StringWidth(got) > w {
				t.Errorf("%s, at %d: %q", row[0], w, got)
			}
		}
	}
}
