package render

import (
	"slices"

	"lockstep/sim/history"
)

// A band is what there is to see of beliefs and truth after one row.
type band struct {
	holds  []hold // of each client
	owners []int8 // of the key, node by node: which client; -1 for nobody
	owner  int8   // the same for the lock as a whole
	few    int    // how many clients believe that they hold the lock
}

// A hold is what a client believes, and whether it is so.
type hold byte

const (
	notHeld hold = iota
	held
	atWork
	wrongly // it believes that it holds the lock, and does not own it
	isDead
)

// bandOf reads a band from a monitor.
func (r *Run) bandOf(m *history.Monitor) band {
	names := r.History.Config.Clients
	b := band{holds: make([]hold, len(names)), owners: make([]int8, len(r.nodes)), owner: -1}
	for i, name := range names {
		switch {
		case !m.Alive(name):
			b.holds[i] = isDead
		case m.Holds(name) && r.History.Nodes > 0 && !m.Owns(name):
			b.holds[i] = wrongly
		case m.Holds(name) && m.Inside(name):
			b.holds[i] = atWork
		case m.Holds(name):
			b.holds[i] = held
		}
		if m.Holds(name) {
			b.few++
		}
		if m.Owns(name) {
			b.owner = int8(i)
		}
	}
	for i, node := range r.nodes {
		b.owners[i] = int8(slices.Index(names, m.Owner(node)))
	}
	return b
}

// overlaps says whether two believe at once, or one that does not own the key.
func (b band) overlaps() bool { return b.few > 1 || slices.Contains(b.holds, wrongly) }

// Beliefs draws where each client believes that it holds the lock, and below
// it who owns the key in Redis. A belief that is wrong, and two at once, have a
// mark and a word.
func Beliefs(r *Run, s Snapshot, c Cursor, l Labels, t Theme, w, h int) []string {
	a := newAxis(r, c, r.bandNames(l), l, t, w)
	out := a.beliefs(s, h-1)
	if len(out) == h { // the ruler points at the cursor; that two overlap is seen in their bands
		out = out[:h-1]
	}
	if len(out) < h {
		out = append([]string{a.ruler()}, out...)
	}
	if len(out) > h { // whoever is wrong is not left out
		n := len(s.Clients)
		wrong := func(i int) bool { return i < n && r.Rows[c.At].band.holds[i] == wrongly }
		out = first(out, max(0, h), wrong)
	}
	return out
}

// first are n of the lines in their order: those of a kind, then the others.
func first(lines []string, n int, kind func(i int) bool) []string {
	var out []string
	room := n
	for i := range lines {
		if kind(i) {
			room--
		}
	}
	for i, line := range lines {
		switch {
		case len(out) == n:
		case kind(i):
			out = append(out, line)
		case room > 0:
			out = append(out, line)
			room--
		}
	}
	return out
}

// redis is the name of the band of whoever owns the lock as a whole.
const redis = "Redis"

// BeliefLines is how many lines all bands take.
func (r *Run) BeliefLines() int { return 1 + len(r.bandNames(Labels{})) }

func (r *Run) bandNames(l Labels) []string {
	names := append(slices.Clone(r.History.Config.Clients), redis, l.Overlap)
	if r.History.Nodes > 1 {
		names = append(names, r.nodes...)
	}
	return names
}

// beliefs are the bands without the ruler. Without room for all, the nodes of
// a lock on several give way: who owns the lock as a whole stays.
func (a axis) beliefs(s Snapshot, h int) []string {
	r, here := a.run, a.run.Rows[a.At].band
	var out []string
	for i, c := range s.Clients {
		wrong := here.holds[i] == wrongly
		word := c.Believes(a.labels)
		if wrong {
			word = a.labels.Pair(a.labels.Held, a.labels.Wrong)
		}
		out = append(out, a.line(c.Name, i+1, word, wrong, func(row int) cell { return a.belief(r.Rows[row].band.holds[i], i+1) }))
	}
	initials := initialsOf(r.History.Config.Clients)
	owner := func(i int8) cell {
		if i < 0 {
			return cell{glyph: a.theme.None}
		}
		return cell{glyph: initials[i], who: int(i) + 1}
	}
	out = append(out, a.line(redis, 0, s.Truth(a.labels), false, func(row int) cell { return owner(r.Rows[row].band.owner) }))
	if r.History.Nodes > 1 && len(out)+len(r.nodes) < h {
		for i := range r.nodes {
			word := "-"
			if by := here.owners[i]; by >= 0 {
				word = s.Clients[by].Name
			}
			out = append(out, a.line(r.nodes[i], 0, word, false, func(row int) cell { return owner(r.Rows[row].band.owners[i]) }))
		}
	}
	return append(out, a.line(a.labels.Overlap, 0, a.overlap(s), here.overlaps(), func(row int) cell {
		switch b := r.Rows[row].band; {
		case b.few > 1:
			return cell{glyph: string(rune('0' + b.few)), bad: true}
		case b.overlaps():
			return cell{glyph: a.theme.Bad, bad: true}
		}
		return cell{glyph: a.theme.None}
	}))
}

func (a axis) belief(b hold, who int) cell {
	switch b {
	case held:
		return cell{glyph: a.theme.Full, who: who}
	case atWork:
		return cell{glyph: a.theme.Inside, who: who}
	case wrongly:
		return cell{glyph: a.theme.Bad, bad: true}
	case isDead:
		return cell{glyph: " "}
	}
	return cell{glyph: a.theme.None}
}

// Truth says who owns the lock.
func (s Snapshot) Truth(l Labels) string {
	if !s.Locks {
		return l.NoLock
	}
	for _, c := range s.Clients {
		switch {
		case c.Owns && s.Nodes > 1:
			return l.Pair(c.Name, l.OnNodes(c.On, s.Nodes))
		case c.Owns && !c.Alive:
			return l.Pair(c.Name, l.LeftBehind)
		case c.Owns:
			return l.Pair(c.Name, l.Owned)
		}
	}
	return l.Nobody
}

// overlap says what is wrong at the cursor.
func (a axis) overlap(s Snapshot) string {
	here := a.run.Rows[a.At].band
	if here.few > 1 {
		return a.labels.Pair(a.labels.Wrong, a.labels.Several(here.few))
	}
	if i := slices.Index(here.holds, wrongly); i >= 0 {
		return a.labels.Pair(a.labels.Wrong, s.Clients[i].Name)
	}
	return ""
}

// initialsOf gives each client one character: the first of its name where that
// tells all apart, else the last, else its number.
func initialsOf(names []string) []string {
	for _, at := range []func(string) string{
		func(s string) string { return s[:1] }, func(s string) string { return s[len(s)-1:] },
	} {
		var out []string
		for _, name := range names {
			if c := at(name); !slices.Contains(out, c) {
				out = append(out, c)
			}
		}
		if len(out) == len(names) {
			return out
		}
	}
	return []string{"1", "2", "3", "4", "5", "6", "7", "8"}[:len(names)]
}

// Believes says what a client takes for true.
func (c Client) Believes(l Labels) string {
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
