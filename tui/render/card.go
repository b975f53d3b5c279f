package render

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// A Part is a labelled passage of a card.
type Part struct{ Label, Text string }

// A Cause is a step that led to a violation, and the key that leads there.
type Cause struct {
	Key  string // "" for none
	Step int    // from 1
	Text string
	// Either is set for two of which one would have done.
	Either bool
}

func (c Cause) draw(l Labels) string {
	key := "   "
	if c.Key != "" {
		key = "[" + c.Key + "]"
	}
	text := c.Text
	if c.Either {
		text = l.Either + " " + text
	}
	return key + " " + l.Step(c.Step) + "  " + text
}

// A Card explains one violation.
type Card struct {
	Invariant string
	Says      string
	Verdict   string // who broke it, and how
	N, Of     int    // which of how many violations; from 1
	Parts     []Part // what happened, why, what it costs, what fixes it
	Known     bool   // what it depends on
	Causes    []Cause
	Trouble   string // why that cannot be known
	Closing   string
}

// Draw writes the whole card, however tall.
func (c Card) Draw(l Labels, t Theme, w int) []string {
	head := fmt.Sprintf("%s VIOLATED %s", t.Bad, c.Invariant)
	if c.Of > 1 {
		head += " (" + l.Nth(c.N, c.Of) + ")"
	}
	out := []string{t.Alarm.Render(Trim(head, w))}
	for _, line := range Wrap(c.Verdict, w) {
		out = append(out, t.Strong.Render(line))
	}
	out = append(out, c.depends(l, t, w)...)
	out = append(out, Parts(c.Parts, t, w)...)
	for _, line := range Wrap(c.Closing, w) {
		out = append(out, t.Faint.Render(line))
	}
	return out
}

// depends says what the violation depends on.
func (c Card) depends(l Labels, t Theme, w int) []string {
	switch {
	case c.Trouble != "":
		return Parts([]Part{{l.Because, c.Trouble}}, t, w)
	case !c.Known:
		return Parts([]Part{{l.Because, l.Replaying}}, t, w)
	case len(c.Causes) == 0:
		return Parts([]Part{{l.Because, l.CodeAlone}}, t, w)
	}
	out := Parts([]Part{{l.Because, l.WithoutAny}}, t, w)
	for _, cause := range c.Causes {
		out = append(out, Trim(cause.draw(l), w))
	}
	return out
}

// Parts writes passages, each with its label before it. A part without text
// is left out.
func Parts(parts []Part, t Theme, w int) []string {
	var out []string
	for _, p := range parts {
		if p.Text == "" {
			continue
		}
		label := Trim(p.Label, w)
		room := ansi.StringWidth(label) + 2
		if room > w/2 {
			out = append(append(out, t.Head.Render(label)), Wrap(p.Text, w)...)
			continue
		}
		// Letters hold the label's place: text without blanks stays beside them.
		lines := Wrap(strings.Repeat("x", room)+strings.TrimSpace(p.Text), w)
		out = append(out, t.Head.Render(label)+"  "+strings.TrimPrefix(lines[0], strings.Repeat("x", room)))
		out = append(out, lines[1:]...)
	}
	return out
}
