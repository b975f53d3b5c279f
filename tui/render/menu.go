package render

// An Item is one line of a menu.
type Item struct{ Title, Note string }

// Menu draws the items around the selected one; notes stand in a column of
// their own if there is room.
func Menu(items []Item, selected int, t Theme, w, h int) []string {
	title := 0
	for _, item := range items {
		title = max(title, Width(Plain(item.Title)))
	}
	title = min(title, w-2)
	from := max(0, min(selected-h/2, len(items)-h))
	var out []string
	for i := from; i < len(items) && len(out) < h; i++ {
		mark, style := "  ", t.Plain
		if i == selected {
			mark, style = t.Here+" ", t.Strong
		}
		line := style.Render(mark + Fit(items[i].Title, title))
		if room := w - title - 4; room >= 8 {
			line += "  " + t.Faint.Render(Trim(items[i].Note, room))
		}
		if i == selected {
			line = t.Click("enter", 1, line)
		}
		out = append(out, t.ClickBy("up", "down", i-selected, line))
	}
	return out
}
