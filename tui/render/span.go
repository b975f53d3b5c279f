package render

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// A Role is the meaning of a text. A painter decides how it looks.
type Role uint8

const (
	Normal  Role = iota // all else
	Title               // what the screen is about
	Head                // a label
	Column              // the heading of the chosen column, or of the pane that has the keys
	Pane                // the heading of another pane
	Rule                // a horizontal line
	LitRule             // that of the pane that has the keys
	Bar                 // a vertical line between two panes
	Strong              // the current row, the selected item
	Faint               // what is beside the point
	Lit                 // the line of source that issued the command
	Lesson              // the comment that marks a deliberate fault
	Alarm               // a violation
	Ask                 // a question to the learner
	Good                // a proof
	Mark                // a cause's number
	Number              // of a line of source
)

// A Span is a part of a line with one role, client and key press.
type Span struct {
	Text   string
	Role   Role
	Client int    // which client of the run it is about, from 1; 0 for none
	Press  string // the key that a click on it presses; "" for none ...
	Times  int    // ... so often
}

// Class names what a span is, for the style sheet of a browser.
func (s Span) Class() string {
	name := classes[s.Role]
	if s.Client > 0 {
		name = strings.TrimSpace(name + " client" + strconv.Itoa(s.Client))
	}
	return name
}

var classes = map[Role]string{
	Title: "title", Head: "head", Column: "head", Pane: "head", Rule: "faint", LitRule: "head", Bar: "faint", Strong: "strong", Faint: "faint", Lit: "lit",
	Lesson: "lesson", Alarm: "alarm", Ask: "ask", Good: "good", Mark: "mark", Number: "number",
}

// MarshalJSON writes the span for a browser, by its class.
func (s Span) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Text  string `json:"t"`
		Class string `json:"c,omitempty"`
		Press string `json:"k,omitempty"`
		Times int    `json:"n,omitempty"`
	}{s.Text, s.Class(), s.Press, s.Times})
}

// Of is a text in a role.
func (r Role) Of(text string) Span { return Span{Text: text, Role: r} }

// Line is a text in a role, as a line of its own.
func (r Role) Line(text string) Line { return Line{r.Of(text)} }

// Wrap breaks a text in a role into lines of at most w cells.
func (r Role) Wrap(text string, w int) (out Lines) {
	for _, line := range WrapText(text, w) {
		out = append(out, r.Line(line))
	}
	return out
}

// of is a text about a client, from 1; 0 is none.
func of(client int, text string) Span { return Span{Text: text, Role: Strong, Client: client} }

// A Line is one line of a pane. A painter turns it into a row of a terminal or an
// element of a page.
type Line []Span

// Lines are a pane, or a part of one.
type Lines []Line

// Texts are lines of plain text.
func Texts(lines ...string) (out Lines) {
	for _, line := range lines {
		out = append(out, Normal.Line(line))
	}
	return out
}

// Text returns the line without its roles.
func (l Line) Text() string {
	var b strings.Builder
	for _, s := range l {
		b.WriteString(s.Text)
	}
	return b.String()
}

// Width returns how many cells the line takes.
func (l Line) Width() (w int) {
	for _, s := range l {
		w += Width(s.Text)
	}
	return w
}

// Add appends a span, or extends the last one if only the text differs.
func (l Line) Add(s Span) Line {
	if last := len(l) - 1; last >= 0 {
		was := l[last]
		was.Text, s.Text = "", was.Text+s.Text
		if s == (Span{s.Text, was.Role, was.Client, was.Press, was.Times}) {
			return append(l[:last:last], s)
		}
		s.Text = s.Text[len(l[last].Text):]
	}
	return append(l, s)
}

// Cut returns the first w cells of the line.
func (l Line) Cut(w int) (out Line) {
	for _, s := range l {
		if extra := Width(s.Text) - w; extra > 0 {
			s.Text = ansi.Truncate(s.Text, max(0, w), "")
			return append(out, s)
		}
		w -= Width(s.Text)
		out = append(out, s)
	}
	return out
}

// Trimmed returns the line without invisible blanks at its end.
func (l Line) Trimmed() Line {
	for len(l) > 0 && l[len(l)-1].Role == Normal {
		last := l[len(l)-1]
		if last.Text = strings.TrimRight(last.Text, " "); last.Text != "" {
			return append(l[:len(l)-1:len(l)-1], last)
		}
		l = l[:len(l)-1]
	}
	return append(Line(nil), l...)
}

// On makes a click on the line press a key so many times, except on spans that press
// one already.
func (l Line) On(key string, times int) Line {
	if key == "" || times < 1 {
		return l
	}
	for i := range l {
		if l[i].Press == "" {
			l[i].Press, l[i].Times = key, times
		}
	}
	return l
}

// Toward is On for what a selection is to reach that is so many lines before it: negative
// ones are back, and at the selection enter opens it.
func (l Line) Toward(back, on string, by int) Line {
	switch {
	case by < 0:
		return l.On(back, -by)
	case by == 0:
		return l.On("enter", 1)
	}
	return l.On(on, by)
}

// At returns the span at a cell; an empty one if there is none.
func (l Line) At(x int) Span {
	for _, s := range l {
		if w := Width(s.Text); x >= 0 && x < w {
			return s
		} else {
			x -= w
		}
	}
	return Span{}
}

// Block makes lines exactly w cells wide and h of them.
func (lines Lines) Block(w, h int) Lines {
	out := make(Lines, 0, max(0, h))
	for _, line := range lines {
		if len(out) == h {
			break
		}
		if extra := w - line.Width(); extra < 0 {
			line = line.Cut(w)
		} else if extra > 0 {
			line = append(line[:len(line):len(line)], Normal.Of(strings.Repeat(" ", extra)))
		}
		out = append(out, line)
	}
	for len(out) < h {
		out = append(out, Normal.Line(strings.Repeat(" ", max(0, w))))
	}
	return out
}

// Cut returns at most h lines. A mark in the last one shows that there are more.
func (lines Lines) Cut(w, h int) Lines {
	h = max(0, h)
	if len(lines) <= h {
		return lines
	}
	lines = lines[:h:h]
	if h == 0 {
		return lines
	}
	last := append(lines[h-1].Cut(w-len(cut)), Normal.Of(cut))
	return append(lines[:h-1:h-1], last)
}

// Scroll returns at most h of the lines from an offset on, and the offset itself,
// lowered if there would be a gap below.
func (lines Lines) Scroll(from, h int) (Lines, int) {
	from = max(0, min(from, len(lines)-h))
	return lines[from:min(len(lines), from+max(0, h))], from
}

// Indent puts a blank before each line.
func (lines Lines) Indent() Lines {
	out := make(Lines, len(lines))
	for i, line := range lines {
		out[i] = append(Normal.Line(" "), line...)
	}
	return out
}

// Beside puts two blocks of equal height side by side, with a bar between them.
func (lines Lines) Beside(right Lines, between string) Lines {
	out := make(Lines, min(len(lines), len(right)))
	for i := range out {
		out[i] = slices.Concat(lines[i], Bar.Line(between), right[i])
	}
	return out
}

// Heading returns a pane's name in a horizontal rule.
func (t Theme) Heading(name string, w int) Line {
	name = Trim(name, w-4)
	if t.Flow {
		return Head.Line(name)
	}
	if name == "" {
		return Rule.Line(strings.Repeat(t.Rule, max(0, w)))
	}
	rest := w - Width(name) - 3
	return Line{Rule.Of(t.Rule + " "), Pane.Of(name), Rule.Of(" " + strings.Repeat(t.Rule, max(0, rest)))}
}

// Focus marks the heading of the pane that has the keys.
func (t Theme) Focus(heading Line) Line {
	out := slices.Clone(heading)
	for i := range out {
		switch out[i].Role {
		case Rule:
			out[i].Role = LitRule
		case Pane:
			out[i].Role = Column
		}
	}
	if len(out) > 1 && out[0].Role == LitRule {
		out[0].Text = t.Rule + t.Here
	}
	return out
}
