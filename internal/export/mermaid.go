package export

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"lockstep/internal/diagram"
	"lockstep/internal/lesson"
)

// Mermaid writes the run as a sequence diagram, in which a client is active
// while it believes that it holds the lock.
func (l *Lesson) Mermaid() ([]byte, error) {
	title, _ := json.Marshal(oneLine(l.Title)) // JSON, which is YAML
	d := mermaid{Lesson: l, active: make([]bool, len(l.Lanes))}
	fmt.Fprintf(&d.out, "---\ntitle: %s\nconfig:\n  sequence:\n    wrap: true\n    width: 220\n---\nsequenceDiagram\n", title)
	for i, lane := range l.Lanes {
		d.put("participant %s as %s", actor(i), inMermaid(lane.Name))
	}
	for _, c := range l.Commands {
		if c.Caption != "" {
			d.note(0, len(l.Lanes)-1, c.Caption)
		}
		for i := c.From; i < c.To; i++ {
			d.step(i)
		}
	}
	return []byte(d.out.String()), nil
}

type mermaid struct {
	*Lesson
	out    strings.Builder
	active []bool
}

func (d *mermaid) put(format string, args ...any) { fmt.Fprintf(&d.out, "    "+format+"\n", args...) }

// late returns the message that ends at a step, if it began at another one.
func (d *mermaid) late(step int) (diagram.Arrow, bool) {
	for _, a := range d.diagram.Arrows {
		if a.To == step && a.From < step && a.Fate != diagram.UnderWay {
			return a, true
		}
	}
	return diagram.Arrow{}, false
}

// actor is an alias for a lane, so that the diagram's grammar sees no name of
// the run.
func actor(lane int) string { return "l" + strconv.Itoa(lane) }

func (d *mermaid) note(from, to int, text string) {
	if len(d.Lanes) == 0 || text == "" {
		return
	}
	over := actor(from)
	if to > from {
		over += "," + actor(to)
	}
	d.put("Note over %s: %s", over, inMermaid(text))
}

func (d *mermaid) step(i int) {
	s := d.Rows[i]
	text, who := d.who(s), d.Actor(s)
	from, to := d.Wire(s)
	late, ends := d.late(i)
	switch {
	case ends && late.Fate == diagram.Dropped:
		d.put("%s-x%s: %s", actor(late.Start), actor(late.Goal), inMermaid(text))
	case ends:
		d.put("%s->>%s: %s", actor(late.Start), actor(late.Goal), inMermaid(text))
	case from >= 0:
		d.put("%s->>%s: %s", actor(from), actor(to), inMermaid(text))
	case who >= 0 && s.Lanes[who] == lesson.Faulted:
		d.note(who, who, "! "+text)
	case who >= 0:
		d.note(who, who, text)
	default:
		d.note(0, len(d.Lanes)-1, strings.Join(append([]string{text}, s.Printed(d.book)...), "; "))
	}
	for lane, l := range d.Lanes {
		if l.Main() {
			d.activate(lane, d.Rows[i].Now.Clients[l.Client-1].Hold)
		}
	}
	for _, n := range s.Found {
		d.note(0, len(d.Lanes)-1, d.book.Pair("✗ "+d.Violations[n].Says, d.Violations[n].Verdict))
	}
}

func (d *mermaid) activate(lane int, h lesson.Hold) {
	holds := h == lesson.Held || h == lesson.AtWork || h == lesson.Wrongly
	switch {
	case holds && !d.active[lane]:
		d.put("activate %s", actor(lane))
	case !holds && d.active[lane]:
		d.put("deactivate %s", actor(lane))
	}
	d.active[lane] = holds
}

// inMermaid escapes a text for Mermaid and for the HTML that it makes: it writes
// characters other than letters, digits and harmless ones as numbers.
func inMermaid(text string) string {
	text = oneLine(text)
	if text == "" {
		return "#160;"
	}
	var out strings.Builder
	for i, r := range text {
		// A colon at the beginning of a text might end the word "wrap".
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r > unicode.MaxASCII || strings.ContainsRune(" .,-/=_()!?'", r) || r == ':' && i > 8 {
			out.WriteRune(r)
		} else {
			fmt.Fprintf(&out, "#%d;", r)
		}
	}
	return out.String()
}
