package render

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// beliefWidth fits the longest belief and a space.
const beliefWidth = 19

// BeliefLabels are the headings of the two columns.
type BeliefLabels struct{ Beliefs, Redis string }

// Beliefs draws what each client believes against what Redis says. A belief
// that is wrong has a mark and a word.
func Beliefs(s Snapshot, l BeliefLabels, t Theme, w, h int) []string {
	name := 2
	for _, c := range s.Clients {
		name = max(name, ansi.StringWidth(c.Name)+1)
	}
	left := min(beliefWidth, (w-name-2)*3/5)
	right := max(0, w-name-2-left)
	head := Fit("", name+2) + Fit(l.Beliefs, left) + Fit(l.Redis, right)
	out := []string{t.Head.Render(head)}
	for _, c := range s.Clients {
		mark, style := " ", t.Faint
		switch {
		case c.wrong(s):
			mark, style = t.Bad, t.Alarm
		case c.Holds || c.Inside || c.Owns:
			style = t.Strong
		}
		line := mark + " " + Fit(c.Name, name) + Fit(c.believes(), left-1) + " " + Fit(c.redisSays(s), right)
		out = append(out, style.Render(line))
	}
	if len(out) > h && h > 0 {
		out = out[:h]
	}
	return out
}

// wrong says whether the client acts on a lock that is not its own.
func (c Client) wrong(s Snapshot) bool { return s.Locks && c.Alive && c.Holds && !c.Owns }

func (c Client) believes() string {
	switch {
	case !c.Alive:
		return "dead"
	case c.Inside && c.Holds:
		return "holds it, at work"
	case c.Inside:
		return "at work without it"
	case c.Holds:
		return "holds it"
	case c.Hung:
		return "hangs"
	case c.Asks == Unknown:
		return "does not know"
	case c.Asks == Trying:
		return "is trying"
	case c.Asks == Refused:
		return "was refused"
	}
	return "does not hold it"
}

func (c Client) redisSays(s Snapshot) string {
	what := ""
	switch {
	case !s.Locks:
		return "no lock in Redis"
	case c.wrong(s):
		what = "WRONG: not held"
	case c.Owns && !c.Alive:
		what = "left behind"
	case c.On > 0:
		what = "its lock"
	default:
		return "-"
	}
	if s.Nodes > 1 {
		what, _, _ = strings.Cut(what, ":")
		what += fmt.Sprintf(": on %d of %d", c.On, s.Nodes)
	}
	return what
}
