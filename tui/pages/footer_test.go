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
	for _, c := range []struct {
		name  string
		o     Options
		keys  []string
		at60  string
		at80  string
		least string
	}{
		{"locks", Options{}, nil, "enter open  c course  / search  m matrix  ? help  q quit",
			"enter open  c course  / search  b break it yourself  m matrix  ? help  q quit", "enter open"},
		{"player", Options{Story: parse(t, crashStory)}, []string{"right"},
			"space go on  right step  p play  ? help  q quit  esc leave",
			"space go on  right step  left back  tab panes  p play  ? help  q quit  esc leave", "space go on"},
		{"question", Options{Story: parse(t, crashStory), At: 7}, nil, "y/n answer  0 I do not know  ? help  q quit  esc leave",
			"y/n answer  0 I do not know  left back  tab panes  ? help  q quit  esc leave", "y/n answer"},
		{"game", Options{Story: parse(t, crashStory), At: 2}, []string{"t"}, "enter pick  left undo  right redo  ? help  q quit  esc leave",
			"enter pick  left undo  right redo  tab panes  ? help  q quit  esc leave", "enter pick"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.o.Matrix = canned(t, nil)
			m := start(t, c.o, 80, 24)
			press(m, c.keys...)
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
				if !strings.HasPrefix(got, c.least) || !strings.Contains(got, "? help  q quit") || ansi.StringWidth(got) > w {
					t.Errorf("at %d: %q", w, got)
				}
				if w == 60 && got != c.at60 || w == 80 && got != c.at80 {
					t.Errorf("at %d: %q", w, got)
				}
			}
		})
	}
}
