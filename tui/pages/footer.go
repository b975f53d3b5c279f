package pages

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"lockstep/tui/render"
)

// footer returns the last line: keys and their effects, none of them cut. Of those for which there
// is no room, letters stand alone, and "..", if there are more. Help and the way out come last and
// are always there.
func (s *Shell) footer() render.Line {
	const between, more = "  ", ".."
	keys := slices.DeleteFunc(s.keys(), func(k key) bool { return k.off })
	slices.SortStableFunc(keys, func(a, b key) int { return cmp.Compare(a.rank, b.rank) })
	item := func(k key, does string) render.Line {
		line := render.Line{render.Strong.Of(k.name(s.Book)), render.Faint.Of(does)}
		if !k.whole { // else its names do not do the same
			line = line.On(k.on[0], 1)
		}
		return line
	}
	var items, always render.Lines
	room := s.width + len(between)
	for _, name := range []string{"?", "q", "esc"} {
		for _, k := range keys {
			if k.group == leaving && k.is(name) {
				line := item(k, " "+k.text(s.Book))
				always = append(always, line)
				room -= line.Width() + len(between)
			}
		}
	}
	keys = slices.DeleteFunc(keys, func(k key) bool { return k.rank == 0 })
	var rest []key
	for i, k := range keys {
		line, letters := item(k, " "+k.text(s.Book)), 0
		switch {
		case i == 0 || rest == nil && i == len(keys)-1:
		case s.width < 70:
			letters = len(between + more)
		default:
			letters = 10
		}
		if line.Width()+len(between)+letters > room {
			rest = append(rest, k)
			continue
		}
		items = append(items, line)
		room -= line.Width() + len(between)
	}
	var letters render.Line
	left := false
	for _, k := range rest {
		if utf8.RuneCountInString(k.name(s.Book)) > 1 || letters.Width()+item(k, "").Width()+len(" "+more+between) > room {
			left = true
			continue
		}
		letters = append(append(letters, item(k, "")...), render.Normal.Of(" "))
	}
	switch {
	case left && len(more+between) <= room:
		items = append(items, append(letters, render.Faint.Of(more)))
	case letters != nil:
		items = append(items, letters[:len(letters)-1])
	}
	var out render.Line
	for i, line := range append(items, always...) {
		if i > 0 {
			out = append(out, render.Normal.Of(between))
		}
		out = append(out, line...)
	}
	return out
}
