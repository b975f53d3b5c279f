package pages

import (
	"cmp"
	"slices"

	"lockstep/tui/render"
)

// footer returns the last line: keys and their effects, none of them cut. Help and the
// way out come last and are always there.
func (s *Shell) footer() render.Line {
	const between = "  "
	var shown, always render.Lines
	used := 0
	add := func(to *render.Lines, k key, needed bool) {
		name, does := k.name(s.Book), k.text(s.Book)
		width := render.Width(name + " " + does)
		if needed || used+width <= s.width {
			line := render.Line{render.Strong.Of(name), render.Faint.Of(" " + does)}
			if !k.whole { // else its names do not do the same
				line = line.On(k.on[0], 1)
			}
			*to = append(*to, line)
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
	var out render.Line
	for i, line := range append(shown, always...) {
		if i > 0 {
			out = append(out, render.Normal.Of(between))
		}
		out = append(out, line...)
	}
	return out
}
