package render

import "github.com/charmbracelet/x/ansi"

// beliefWidth fits the longest belief and a space.
const beliefWidth = 19

// Beliefs draws what each client believes against what Redis says. A belief
// that is wrong has a mark and a word.
func Beliefs(s Snapshot, l Labels, t Theme, w, h int) []string {
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
		line := mark + " " + Fit(c.Name, name) + Fit(c.believes(l), left-1) + " " + Fit(c.redisSays(s, l), right)
		out = append(out, style.Render(line))
	}
	if len(out) > h && h > 0 {
		out = out[:h]
	}
	return out
}

// wrong says whether the client acts on a lock that is not its own.
func (c Client) wrong(s Snapshot) bool { return s.Locks && c.Alive && c.Holds && !c.Owns }

func (c Client) believes(l Labels) string {
	switch {
	case !c.Alive:
		return l.Dead
	case c.Inside && c.Holds:
		return l.AtWork
	case c.Inside:
		return l.Unprotected
	case c.Holds:
		return l.Held
	case c.Hung:
		return l.Hung
	case c.Asks == Unknown:
		return l.Unknown
	case c.Asks == Trying:
		return l.Trying
	case c.Asks == Refused:
		return l.Refused
	}
	return l.Nothing
}

func (c Client) redisSays(s Snapshot, l Labels) string {
	what := ""
	switch {
	case !s.Locks:
		return l.NoLock
	case c.wrong(s):
		if what = l.Wrong; s.Nodes <= 1 {
			what += ": " + l.NotHeld
		}
	case c.Owns && !c.Alive:
		what = l.LeftBehind
	case c.On > 0:
		what = l.Owned
	default:
		return "-"
	}
	if s.Nodes > 1 {
		what += ": " + l.OnNodes(c.On, s.Nodes)
	}
	return what
}
