package render

// An Item is one line of a menu.
type Item struct {
	Group       string // the heading above the first of several; "" for none
	Title, Note string
}

// Menu draws the items around the selected one, with notes in a second column if there
// is room.
func (t Theme) Menu(items []Item, selected, w, h int) (lines Lines) {
	title := 0
	for _, item := range items {
		title = max(title, Width(Plain(item.Title)))
	}
	from, rows := window(items, selected, h)
	for _, row := range rows[from:min(len(rows), from+max(0, h))] {
		if row < 0 {
			lines = append(lines, Head.Line(Trim(items[^row].Group, w)))
			continue
		}
		lines = append(lines, items[row].line(row-selected, min(title, w-2), w, t))
	}
	return lines
}

// Shown returns which items h lines around the selected one show.
func Shown(items []Item, selected, h int) (shown Range) {
	from, rows := window(items, selected, h)
	for row, item := range rows {
		switch {
		case item < 0:
		case row < from:
			shown.From = item + 1
		case row < from+h:
			shown.To = item + 1
		}
	}
	return shown
}

// window returns what each line shows, an item i or ^i for the heading above it, and the
// first of the h lines around the selected item.
func window(items []Item, selected, h int) (from int, rows []int) {
	here := 0
	for i, item := range items {
		if item.Group != "" && (i == 0 || items[i-1].Group != item.Group) {
			rows = append(rows, ^i)
		}
		if i == selected {
			here = len(rows)
		}
		rows = append(rows, i)
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
