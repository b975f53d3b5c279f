package render

import (
	"strings"

	"lockstep/internal/lesson"
)

// A Cause is a step that led to a violation, with the key that goes there.
type Cause struct {
	Key  string // "" for none
	Step int    // from 1
}

func (c Cause) label(t Theme) string {
	switch {
	case c.Key == "":
		return t.Count("nth_step", c.Step)
	case t.Flow && !t.Airy: // as on its disc in the diagram
		return c.Key + " " + t.Count("nth_step", c.Step)
	}
	return "[" + c.Key + "] " + t.Count("nth_step", c.Step)
}

// A Card explains one violation.
type Card struct {
	lesson.Found
	Explanation lesson.Explanation
	Causes      []Cause       // of the explanation's Why, in order
	Says        string        // which invariants are violated at the step, this one first, and which of how many it is
	Verdict     string        // the harm: who broke it, and how
	Won         bool          // to violate it was the goal
	Answers     Lines         // what became of the learner's answers
	Parts       []lesson.Part // what is said beside what is told of it
	Closing     string
}

// Draw writes the whole card, of any height.
func (c Card) Draw(t Theme, w int) Lines {
	out := append(c.harm(t, w), c.Answers...)
	for _, p := range c.passages(t, c.Explanation) {
		out = append(out, p.draw(t, w)...)
	}
	out = append(out, t.Passages(c.Parts, w)...)
	if t.Airy {
		out = append(out, nil)
	}
	return append(out, Faint.Wrap(c.Closing, w)...)
}

// harm says in plain words what went wrong, and below it, small, which invariants that
// violates.
func (c Card) harm(t Theme, w int) Lines {
	role, mark := Alarm, t.Bad
	if c.Won {
		role, mark = Good, t.Won
	}
	out := role.Wrap(mark+" "+c.Verdict, w)
	return append(out, Faint.Wrap(c.Says, w)...)
}

// Strip writes the card in short: the violation, the answers and the causes. A cause takes
// one line, or more where h lines have room for all. Where they have not even room for one
// line of each, it leaves out the names of the invariants.
func (c Card) Strip(t Theme, w, h int) Lines {
	var rest, whole Lines
	if rest = t.Passages(c.Parts, w); !c.Known {
		rest = append(rest, Faint.Line(Trim(t.Text("replaying"), w)))
	}
	whole = rest[:len(rest):len(rest)]
	for _, p := range c.passages(t, c.Explanation.Only(lesson.Why)) {
		if !c.Known {
			break
		}
		line := Line{Head.Of(Trim(p.Label, w)), Normal.Of(Trim("  "+p.Text, w-Width(p.Label)))}
		rest, whole = append(rest, line.On(p.key, 1)), append(whole, p.draw(Theme{}, w)...)
	}
	harm := c.harm(t, w)
	if len(harm)+len(c.Answers)+len(whole) <= h {
		rest = whole
	}
	if len(harm)+len(c.Answers)+len(rest) > h {
		harm = harm[:len(harm)-len(Faint.Wrap(c.Says, w))]
	}
	return append(append(harm, c.Answers...), rest...)
}

// A passage is one of an explanation; that of a cause has its key.
type passage struct {
	lesson.Part
	key string
}

func (p passage) draw(t Theme, w int) Lines {
	lines := t.Passages([]lesson.Part{p.Part}, w)
	for _, line := range lines {
		line.On(p.key, 1)
	}
	return lines
}

// passages returns those of an explanation, the causes labelled with their steps.
func (c Card) passages(t Theme, told lesson.Explanation) (out []passage) {
	if !c.Known {
		return []passage{{Part: lesson.Part{Label: t.Text("why"), Text: t.Text("replaying")}}}
	}
	causes := c.Causes
	for _, r := range told {
		p := passage{Part: r.Part}
		if r.Kind == lesson.Why {
			if p.Label = causes[0].label(t); !t.Airy { // in a talk no key leads there
				p.key = causes[0].Key
			}
			causes = causes[1:]
		}
		out = append(out, p)
	}
	return out
}

// Passages writes passages, each after its label, or below it if there is room. It keeps
// line breaks and leaves out parts without text.
func (t Theme) Passages(parts []lesson.Part, w int) Lines {
	var out Lines
	for _, p := range parts {
		if p.Text == "" {
			continue
		}
		first, rest, more := strings.Cut(strings.TrimSpace(p.Text), "\n")
		label := Trim(p.Label, w)
		room := Width(label) + 2
		if t.Airy {
			out = append(out, nil)
		}
		if room > w/2 || t.Airy {
			out = append(append(out, Head.Line(label)), Wrap(first, w)...)
			if more {
				out = append(out, after(rest, w)...)
			}
			continue
		}
		// Letters hold the label's place: text without blanks stays beside them.
		lines := WrapText(strings.Repeat("x", room)+first, w)
		out = append(out, Line{Head.Of(label), Normal.Of("  " + strings.TrimPrefix(lines[0], strings.Repeat("x", room)))})
		out = append(out, Texts(lines[1:]...)...)
		if more {
			out = append(out, after(rest, w)...)
		}
	}
	return out
}

// after returns the lines of a text after its first. A blank line separates
// paragraphs.
func after(rest string, w int) (out Lines) {
	for line := range strings.SplitSeq(rest, "\n") {
		if line == "" {
			out = append(out, nil)
		}
		out = append(out, Wrap(line, w)...)
	}
	return out
}
