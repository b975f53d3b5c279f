package render

import (
	"fmt"
	"strconv"
)

// A Move is a line of the panel of moves: something that may happen, or a client that
// cannot move.
type Move struct {
	Group string // the heading above it
	Text  string
	Not   bool // it cannot happen: Text says why
}

// Moves draws the moves under their headings, as far as a little below the chosen one.
// If they do not fit, it leaves out the headings. An impossible move has another mark
// and is not bold.
func (t Theme) Moves(list []Move, chosen, w, h int) Lines {
	lines, at := t.moves(list, chosen, w, true)
	if len(lines) > h {
		lines, at = t.moves(list, chosen, w, false)
	}
	return lines.downTo(at, h)
}

// moves returns the lines of all moves, and where the chosen one begins.
func (t Theme) moves(list []Move, chosen, w int, headed bool) (out Lines, at int) {
	group, possible := "", 0 // how many that can happen come before the line
	before := 0              // ... and before the chosen one
	for _, m := range list[:min(max(chosen, 0), len(list))] {
		if !m.Not {
			before++
		}
	}
	for i, m := range list {
		if headed && m.Group != group {
			group = m.Group
			out = append(out, Head.Line(Trim(group, w)))
		}
		mark, role := "  ", Normal
		switch {
		case m.Not:
			mark, role = "- ", Faint
		case i == chosen:
			mark, role = t.Here+" ", Strong
		}
		text := []string{Trim(m.Text, w-2)}
		if i == chosen && !m.Not {
			at = len(out)
			text = WrapText(m.Text, w-2)
		}
		for j, line := range text {
			if j > 0 {
				mark = "  "
			}
			drawn := role.Line(mark + line)
			if !m.Not {
				drawn = drawn.Toward("up", "down", possible-before)
			}
			out = append(out, drawn)
		}
		if !m.Not {
			possible++
		}
	}
	return out, at
}

// downTo returns h of the lines, down to two below the given one, or fewer if that one
// would not be visible.
func (lines Lines) downTo(at, h int) Lines {
	shown, _ := lines.Scroll(min(at, at-h+3), h)
	return shown
}

// A Branch is a line of the tree of the learner's attempts.
type Branch struct {
	Name  string // who made it
	Nest  int    // how many branches it hangs on
	Left  int    // the step at which it left the one above
	Steps int
	End   string // how it ends
	Bad   bool   // an invariant is broken there
	Here  bool   // it is shown
}

// Branches draws the tree down to the current branch, one line each, or two if the
// screen is too narrow.
func (t Theme) Branches(list []Branch, w, h int) Lines {
	number, name, path := len(strconv.Itoa(len(list))), 0, 0
	paths := make([]string, len(list))
	for i, b := range list {
		paths[i] = t.Count("branch_moves", b.Steps)
		if b.Nest > 0 {
			paths[i] = t.List(paths[i], t.Count("branch_from", b.Left))
		}
		name = max(name, b.indent(w)+Width(Plain(b.Name)))
		path = max(path, Width(paths[i]))
	}
	var out Lines
	at, lines := 0, 1
	for _, b := range list {
		if number+name+path+Width(b.end(t))+7 > w {
			lines = 2
		}
	}
	for i, b := range list {
		mark, role := "  ", Normal
		if b.Here {
			at, mark, role = len(out), t.Here+" ", Strong
		}
		line := fmt.Sprintf("%s%*d %s  ", mark, number, i+1, Fit(Fit("", b.indent(w))+b.Name, name))
		if lines == 1 {
			out = append(out, role.Line(line+Fit(paths[i], path)+"  "+b.end(t)))
			continue
		}
		below := Fit("", number+3+b.indent(w)) + b.end(t)
		out = append(out, role.Line(Trim(line+paths[i], w)), role.Line(Trim(below, w)))
	}
	return out.downTo(at, h)
}

func (b Branch) indent(w int) int { return min(2*b.Nest, w/4) }

func (b Branch) end(t Theme) string {
	if b.Bad {
		return t.Bad + " " + b.End
	}
	return b.End
}
