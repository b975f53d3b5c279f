package pages

import (
	"cmp"
	"slices"
	"strings"

	"lockstep/tui/render"
)

// footer is the last line: keys and what they do, none of them cut. How to be
// helped and how to get out come last and always.
func (s *Shell) footer() string {
	const between = "  "
	var shown, always []string
	used := 0
	add := func(to *[]string, k key, needed bool) {
		name, does := k.name(s.book), k.text(s.book)
		width := render.Width(name + " " + does)
		if needed || used+width <= s.width {
			text := s.theme.Strong.Render(name) + s.theme.Faint.Render(" "+does)
			if !k.whole { // else its names do not do the same
				text = s.theme.Click(k.on[0], 1, text)
			}
			*to = append(*to, text)
			used += width + len(between)
		}
	}
	keys := slices.DeleteFunc(s.keys(), func(k key) bool { return k.off })
	for _, name := range []string{"?", "q", "esc"} {
		for _, k := range keys {
			if k.group == leaving && k.is(name) {
				add(&always, k, true)
			}
		}
	}
	slices.SortStableFunc(keys, func(a, b key) int { return cmp.Compare(a.rank, b.rank) })
	for _, k := range keys {
		if k.rank > 0 {
			add(&shown, k, false)
		}
	}
	return strings.Join(append(shown, always...), between)
}
