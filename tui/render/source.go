package render

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Lesson marks a deliberate fault in a strategy's source.
const Lesson = "BUG(lesson)"

// A Code is a source file and the line to look at.
type Code struct {
	Text string
	Line int  // from 1; 0 for none
	Lit  bool // the line issued the current command; else an earlier one
}

// Source draws the part of a file around its line. The line itself is wrapped,
// all others are cut.
func Source(c Code, t Theme, w, h int) []string {
	lines := strings.Split(strings.TrimRight(c.Text, "\n"), "\n")
	focus := c.Line
	if focus == 0 {
		focus = entry(lines)
	}
	from := max(1, min(focus-(h-1)/2, len(lines)-h+1))
	var out []string
	for n := from; n <= len(lines) && len(out) < h; n++ {
		out = append(out, sourceLine(c, n, lines[n-1], t, w)...)
	}
	return out
}

// entry finds the line at which a lock is taken.
func entry(lines []string) int {
	for i, line := range lines {
		if strings.HasPrefix(line, "func (") && (strings.Contains(line, ") Lock(") || strings.Contains(line, ") Update(")) {
			return i + 1
		}
	}
	return 1
}

func sourceLine(c Code, n int, text string, t Theme, w int) []string {
	text = strings.ReplaceAll(text, "\t", "  ")
	number := fmt.Sprintf("%3d ", n)
	room := w - ansi.StringWidth(number) - 2
	if n != c.Line {
		style := t.Faint
		if strings.Contains(text, Lesson) {
			style = t.Lesson
		} else if !strings.HasPrefix(strings.TrimSpace(text), "//") {
			return []string{"  " + t.Faint.Render(number) + Trim(text, room)}
		}
		return []string{"  " + t.Faint.Render(number) + style.Render(Trim(text, room))}
	}
	mark, style := t.Was, t.Strong
	if c.Lit {
		mark, style = t.Here, t.Lit
	}
	indent := len(text) - len(strings.TrimLeft(text, " "))
	var out []string
	for i, part := range Wrap(text, max(1, room-indent-2)) {
		start := mark + " " + number
		if i > 0 {
			start, part = Fit("", len(number)+2), "  "+part
		}
		out = append(out, start+style.Render(strings.Repeat(" ", indent)+part))
	}
	return out
}

// Listing is a whole file with line numbers.
func Listing(text string, t Theme, w int) []string {
	var out []string
	for i, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		out = append(out, sourceLine(Code{}, i+1, line, t, w)...)
	}
	return out
}
