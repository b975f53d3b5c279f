package render

// An Item is one line of a menu.
type Item struct{ Title, Note string }

// Menu draws the items around the selected one, with notes in a second column if there
// is room.
func Menu(items []Item, selected int, t Theme, w, h int) []Line {
	title := 0
	for _, item := range items {
		title = max(title, Width(Plain(item.Title)))
	}
	title = min(title, w-2)
	from := MenuFrom(len(items), selected, h)
	var out []Line
	for i := from; i < len(items) && len(out) < h; i++ {
		mark, role := "  ", Normal
		if i == selected {
			mark, role = t.Here+" ", Strong
		}
		line := role.Line(mark + Fit(items[i].Title, title))
		if t.Flow {
			line = Line{role.Of(mark), role.Of(Plain(items[i].Title) + " "), Faint.Of(Plain(items[i].Note))}
		} else if room := w - title - 4; room >= 8 {
			line = append(line, Normal.Of("  "), Faint.Of(Trim(items[i].Note, room)))
		}
		if i == selected {
			line = line.On("enter", 1)
		}
		out = append(out, line.Toward("up", "down", i-selected))
	}
	return out
}

// MenuFrom returns the first of n items that h lines around the selected one show.
func MenuFrom(n, selected, h int) int { return max(0, min(selected-h/2, n-h)) }
