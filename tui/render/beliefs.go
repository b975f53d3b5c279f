package render

import (
	"slices"

	"lockstep/internal/lesson"
	"lockstep/sim/history"
)

// Beliefs draws when each client believes that it holds the lock, and below that who
// owns the key in Redis. A wrong belief and two beliefs at once get a mark and a word.
func (t Theme) Beliefs(r *lesson.Run, c Cursor, w, h int) Lines {
	a := t.newAxis(r, c, bandNames(r, t.Labels), w)
	out := a.beliefs(h - 1)
	if len(out) == h { // the ruler points at the cursor; that two overlap is seen in their bands
		out = out[:h-1]
	}
	if len(out) < h {
		out = append(Lines{a.ruler()}, out...)
	}
	if len(out) > h {
		out = a.most(out, h)
	}
	return out
}

// most returns h of the bands. Whoever is wrong is not left out, and of many clients,
// neither those who hold the lock nor who owns it.
func (a axis) most(bands Lines, h int) Lines {
	clients := a.run.Rows[a.At].Now.Clients
	many := len(clients) > Few
	return first(bands, max(0, h), func(i int) bool {
		if i >= len(clients) {
			return many
		}
		hold := clients[i].Hold
		return hold == lesson.Wrongly || many && (hold == lesson.Held || hold == lesson.AtWork)
	})
}

// Few is up to how many clients a screen shows the bands of all. Of more, it shows
// those who hold the lock and the first others.
const Few = 8

// first returns n of the lines in their order, preferring those for which is holds.
func first(lines Lines, n int, kind func(i int) bool) Lines {
	var out Lines
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

// BeliefLines is how many lines all bands take.
func BeliefLines(r *lesson.Run) int { return 1 + len(bandNames(r, lesson.Labels{})) }

func bandNames(r *lesson.Run, l lesson.Labels) []string {
	names := append(slices.Clone(r.History.Config.Clients), history.StoreOf(r.History.Config.Key()), l.Overlap)
	if r.History.Nodes > 1 {
		names = append(names, r.Nodes...)
	}
	return names
}

// beliefs returns the bands without the ruler. If there is no room for all, it drops
// the bands of single nodes.
func (a axis) beliefs(h int) Lines {
	r, here := a.run, a.run.Rows[a.At].Now
	var out Lines
	for i, c := range here.Clients {
		out = append(out, a.line(c.Name, i+1, c.Believes(a.Labels), c.Hold == lesson.Wrongly, func(row int) cell { return a.belief(r.Rows[row].Now.Clients[i].Hold, i+1) }))
	}
	initials := lesson.Initials(r.History.Config.Clients)
	owner := func(i int8) cell {
		if i < 0 {
			return cell{glyph: a.None}
		}
		return cell{glyph: initials[i], who: int(i) + 1}
	}
	out = append(out, a.line(history.StoreOf(r.History.Config.Key()), 0, here.Truth(a.Labels), false, func(row int) cell { return owner(r.Rows[row].Now.Owner) }))
	if r.History.Nodes > 1 && len(out)+len(r.Nodes) < h {
		for i := range r.Nodes {
			word := "-"
			if by := here.Owners[i]; by >= 0 {
				word = here.Clients[by].Name
			}
			out = append(out, a.line(r.Nodes[i], 0, word, false, func(row int) cell { return owner(r.Rows[row].Now.Owners[i]) }))
		}
	}
	return append(out, a.line(a.Labels.Overlap, 0, a.overlap(), here.Believe > 1, func(row int) cell {
		if b := r.Rows[row].Now; b.Believe > 1 {
			return cell{glyph: string(rune('0' + b.Believe)), bad: true}
		}
		return cell{glyph: a.None}
	}))
}

func (a axis) belief(b lesson.Hold, who int) cell {
	switch b {
	case lesson.Held:
		return cell{glyph: a.Full, who: who}
	case lesson.AtWork:
		return cell{glyph: a.Inside, who: who}
	case lesson.Wrongly:
		return cell{glyph: a.Bad, bad: true}
	case lesson.Dead:
		return cell{glyph: " "}
	}
	return cell{glyph: a.None}
}

// overlap says how many believe at the cursor, if several do.
func (a axis) overlap() string {
	if here := a.run.Rows[a.At].Now; here.Believe > 1 {
		return a.Labels.Pair(a.Labels.Wrong, a.Labels.Several(here.Believe))
	}
	return ""
}
