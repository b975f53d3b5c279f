package pages

import (
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// TestFooter: at every width each key is whole, and the way out is there; at 60
// and 80 columns so is what a screen is for.
func TestFooter(t *testing.T) {
	for _, row := range table("footers") {

		t.Run(row[0], func(t *testing.T) {
			o := Options{Matrix: canned(t, nil), At: number(row[2])}
			if row[1] != "" {
				o.Story = parse(t, ownStories[row[1]])
			}
			m := start(t, o, 80, 24)
			press(m, strings.Fields(row[3])...)
			for w := leastWidth; w < 200; w++ {
				m.Update(Size{Width: w, Height: 24})
				got := m.footer().Text()
				for _, item := range strings.Split(got, "  ") {
					name, does, _ := strings.Cut(item, " ")
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
