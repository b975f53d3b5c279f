package render

// An Item is one line of a menu.
type Item struct{ Title, Note string }

// A Group is items under a heading; "" is none.
type Group struct {
	Heading string
	Items   []Item
}

// Menu draws the items around the selected one, with notes in a second column if there
// is room. selected counts the items of all groups.
func (t Theme) Menu(groups []Group, selected, w, h int) Lines {
	title := 0
	for _, g := range groups {
		for _, item := range g.Items {
			title = max(title, Width(Plain(item.Title)))
		}
	}
	title = min(title, w-2)
	var lines Lines
	n := 0
	for _, g := range groups {
		if g.Heading != "" {
			lines = append(lines, Head.Line(Trim(g.Heading, w)))
		}
		for _, item := range g.Items {
			lines = append(lines, item.line(n-selected, title, w, t))
			n++
		}
	}
	from, _ := window(groups, selected, h)
	return lines[from:min(len(lines), from+max(0, h))]
}

// Shown returns which items h lines around the selected one show, of how many.
func Shown(groups []Group, selected, h int) (shown Range, of int) {
	from, rows := window(groups, selected, h)
	for row, item := range rows {
		if item < 0 {
			continue
		}
		of++
		switch {
		case row < from:
			shown.From = of
		case row < from+h:
			shown.To = of
		}
	}
	return shown, of
}

// window returns the item of each line, -1 for a heading, and the first of the h lines
// around the selected item.
func window(groups []Group, selected, h int) (from int, rows []int) {
	here, n := 0, 0
	for _, g := range groups {
		if g.Heading != "" {
			rows = append(rows, -1)
		}
		for range g.Items {
			if n == selected {
				here = len(rows)
			}
			rows = append(rows, n)
			n++
		}
	}
	return MenuFrom(len(rows), here, h), rows
}

// line draws an item that is so many items after the selected one.
func (item Item) line(after, title, w int, t Theme) Line {
	mark, role := "  ", Normal
	if after == 0 {
		mark, role = t.Here+" ", Strong
	}
	line := role.Line(mark + Fit(item.Title, title))
	if t.Flow {
		line = Line{role.Of(mark), role.Of(Plain(item.Title) + " "), Faint.Of(Plain(item.Note))}
	} else if room := w - title - 4; room >= 8 {
		line = append(line, Normal.Of("  "), Faint.Of(Trim(item.Note, room)))
	}
	return line.Toward("up", "down", after)
}

// MenuFrom returns the first of n lines that h lines around the selected one show.
func MenuFrom(n, selected, h int) int { return max(0, min(selected-h/2, n-h)) }
