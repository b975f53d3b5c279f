package render

import (
	"fmt"
	"strconv"

	"github.com/charmbracelet/x/ansi"
)

// A Move is a line of the panel from which a learner picks: something that may
// happen, or somebody who cannot move.
type Move struct {
	Group string // the heading above it
	Text  string
	Not   bool // it cannot happen: Text says why
}

// Moves draws the moves under their headings, those around the chosen one. A
// move that is not possible has another mark and no weight.
func Moves(list []Move, chosen int, t Theme, w, h int) []string {
	var out []string
	at, group := 0, ""
	for i, m := range list {
		if m.Group != group {
			group = m.Group
			out = append(out, t.Head.Render(Trim(group, w)))
		}
		mark, style := "  ", t.Faint.UnsetFaint()
		switch {
		case m.Not:
			mark, style = "- ", t.Faint
		case i == chosen:
			mark, style = t.Here+" ", t.Strong
		}
		text := []string{Trim(m.Text, w-2)}
		if i == chosen && !m.Not {
			at = len(out)
			text = Wrap(m.Text, w-2)
		}
		for j, line := range text {
			if j > 0 {
				mark = "  "
			}
			out = append(out, style.Render(mark+line))
		}
	}
	shown, _ := Scroll(out, at-h/2, h)
	return shown
}

// A Branch is a line of the tree of what the learner tried.
type Branch struct {
	Name  string // who made it
	Nest  int    // how many branches it hangs on
	Left  int    // the step at which it left the one above
	Steps int
	End   string // how it ends
	Bad   bool   // an invariant is broken there
	Here  bool   // it is shown
}

// Branches draws the tree, around the branch that is shown.
func Branches(list []Branch, l Labels, t Theme, w, h int) []string {
	number, name := len(strconv.Itoa(len(list))), 0
	for _, b := range list {
		name = max(name, ansi.StringWidth(Plain(b.Name))+min(2*b.Nest, w/4))
	}
	var out []string
	at := 0
	for i, b := range list {
		mark, style := "  ", t.Faint.UnsetFaint()
		if b.Here {
			at, mark, style = i, t.Here+" ", t.Strong
		}
		end := b.End
		if b.Bad {
			end = t.Bad + " " + end
		}
		line := fmt.Sprintf("%s%*d %s  %s", mark, number, i+1, Fit(Fit("", min(2*b.Nest, w/4))+b.Name, name), l.Moves(b.Steps))
		if b.Nest > 0 {
			line += ", " + l.From(b.Left)
		}
		if room := w - ansi.StringWidth(line) - 2; room < ansi.StringWidth(end) {
			line = Fit(line, w-ansi.StringWidth(end)-2) // how it ends matters most
		}
		out = append(out, style.Render(Trim(line+"  "+end, w)))
	}
	shown, _ := Scroll(out, at-h/2, h)
	return shown
}
