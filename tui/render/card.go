package render

import (
	"strings"

	"lockstep/internal/lang"
	"lockstep/internal/lesson"
)

func causePart(c lesson.Cause, l lesson.Labels) lesson.Part {
	p := lesson.Part{Label: l.Step(c.Step), Text: c.Text}
	if c.Key != "" {
		p.Label = "[" + c.Key + "] " + p.Label
	}
	if c.Either {
		p.Text = l.Pair(l.Either, p.Text)
	}
	return p
}

// A Card explains one violation.
type Card struct {
	lesson.Found
	Says    string        // that the invariant is violated, and which of how many that is
	Verdict string        // who broke it, and how
	Also    []string      // what else is violated at the same step
	Parts   []lesson.Part // what is said beside what is told of it
	Closing string
}

// Draw writes the whole card, however tall.
func (c Card) Draw(l lesson.Labels, t Theme, w int) []string {
	out := []string{t.Alarm.Render(Trim(t.Bad+" "+c.Says, w))}
	for _, line := range Wrap(c.Verdict, w) {
		out = append(out, t.Strong.Render(line))
	}
	for _, also := range c.Also {
		out = append(out, t.Alarm.Render(Trim(t.Bad+" "+also, w)))
	}
	out = append(out, Parts(c.told(l), t, w)...)
	out = append(out, Parts(c.Parts, t, w)...)
	if t.Airy {
		out = append(out, "")
	}
	for _, line := range Wrap(c.Closing, w) {
		out = append(out, t.Faint.Render(line))
	}
	return out
}

// Strip writes the gist of the card: what is violated, how, and the causes, each in
// one line.
func (c Card) Strip(l lesson.Labels, t Theme, w int) []string {
	out := c.Draw(l, t, w)[:1]
	if len(c.Also) > 0 {
		out[0] += t.Alarm.Render(Trim("  "+t.Bad+" "+strings.Join(c.Also, "  "+t.Bad+" "), w-Width(out[0])))
	}
	out = append(out, t.Strong.Render(Trim(c.Verdict, w)))
	out = append(out, Parts(c.Parts, t, w)...)
	if !c.Known {
		return append(out, t.Faint.Render(Trim(l.Replaying, w)))
	}
	for _, cause := range c.Causes {
		p := causePart(cause, l)
		line := t.Head.Render(Trim(p.Label, w)) + Trim("  "+p.Text, w-Width(p.Label))
		out = append(out, t.Click(cause.Key, 1, line))
	}
	return out
}

// told is what is told of the violation.
func (c Card) told(l lesson.Labels) []lesson.Part {
	if !c.Known {
		return []lesson.Part{{Label: l.Why, Text: l.Replaying}}
	}
	parts := []lesson.Part{{Label: l.Happened, Text: c.Happened}}
	if c.Trouble != nil {
		parts = append(parts, lesson.Part{Label: l.Why, Text: lang.In(l.In, c.Trouble)})
	}
	for _, cause := range c.Causes {
		parts = append(parts, causePart(cause, l))
	}
	for _, rest := range c.Rests {
		parts = append(parts, lesson.Part{Label: l.Why, Text: rest})
	}
	parts = append(append(parts, c.Code...), c.Cost)
	return append(parts, c.Saved...)
}

// Parts writes passages, each with its label before it, or above it where there is
// room. What ends a line in one ends it here. A part without text is left out.
func Parts(parts []lesson.Part, t Theme, w int) []string {
	var out []string
	for _, p := range parts {
		if p.Text == "" {
			continue
		}
		first, rest, more := strings.Cut(strings.TrimSpace(p.Text), "\n")
		label := Trim(p.Label, w)
		room := Width(label) + 2
		if t.Airy {
			out = append(out, "")
		}
		if room > w/2 || t.Airy {
			out = append(append(out, t.Head.Render(label)), Wrap(first, w)...)
			if more {
				out = append(out, after(rest, w)...)
			}
			continue
		}
		// Letters hold the label's place: text without blanks stays beside them.
		lines := Wrap(strings.Repeat("x", room)+first, w)
		out = append(out, t.Head.Render(label)+"  "+strings.TrimPrefix(lines[0], strings.Repeat("x", room)))
		out = append(out, lines[1:]...)
		if more {
			out = append(out, after(rest, w)...)
		}
	}
	return out
}

// after are the lines of a text after its first, of which a blank one parts two
// paragraphs.
func after(rest string, w int) (out []string) {
	for line := range strings.SplitSeq(rest, "\n") {
		if line == "" {
			out = append(out, "")
		}
		out = append(out, Wrap(line, w)...)
	}
	return out
}
