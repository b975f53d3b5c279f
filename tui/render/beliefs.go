package render

import (
	"slices"

	"lockstep/internal/lesson"
	"lockstep/sim/history"
)

// Beliefs draws when each client believes that it holds the lock, and below that who
// owns the key in Redis. A wrong belief and two beliefs at once get a mark and a word.
func (t Theme) Beliefs(r *lesson.Run, c Cursor, w, h int) Lines {
	a := t.newAxis(r, c, t.bandNames(r), w)
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

// first returns n of a list in their order, preferring those for which needed holds.
func first[T any](list []T, n int, needed func(i int) bool) (out []T) {
	room := n
	for i := range list {
		if needed(i) {
			room--
		}
	}
	for i, one := range list {
		switch {
		case len(out) == n:
		case needed(i):
			out = append(out, one)
		case room > 0:
			out = append(out, one)
			room--
		}
	}
	return out
}

// BeliefLines is how many lines all bands take.
func (t Theme) BeliefLines(r *lesson.Run) int { return 1 + len(t.bandNames(r)) }

func (t Theme) bandNames(r *lesson.Run) []string {
	names := append(slices.Clone(r.History.Config.Clients), history.StoreOf(r.History.Config.Key()), t.Text("overlap"))
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
		out = append(out, a.line(c.Name, i+1, c.Believes(a.Book), c.Hold == lesson.Wrongly, func(row int) Span { return a.belief(r.Rows[row].Now.Clients[i].Hold, i+1) }))
	}
	initials := lesson.Initials(r.History.Config.Clients)
	owner := func(i int8) Span {
		if i < 0 {
			return Normal.Of(a.None)
		}
		return of(int(i)+1, initials[i])
	}
	out = append(out, a.line(history.StoreOf(r.History.Config.Key()), 0, here.Truth(a.Book), false, func(row int) Span { return owner(r.Rows[row].Now.Owner) }))
	if r.History.Nodes > 1 && len(out)+len(r.Nodes) < h {
		for i := range r.Nodes {
			word := "-"
			if by := here.Owners[i]; by >= 0 {
				word = here.Clients[by].Name
			}
			out = append(out, a.line(r.Nodes[i], 0, word, false, func(row int) Span { return owner(r.Rows[row].Now.Owners[i]) }))
		}
	}
	return append(out, a.line(a.Text("overlap"), 0, a.overlap(), here.Believe > 1, func(row int) Span {
		if b := r.Rows[row].Now; b.Believe > 1 {
			return Alarm.Of(string(rune('0' + b.Believe)))
		}
		return Normal.Of(a.None)
	}))
}

func (a axis) belief(b lesson.Hold, who int) Span {
	switch b {
	case lesson.Held:
		return of(who, a.Full)
	case lesson.AtWork:
		return of(who, a.Inside)
	case lesson.Wrongly:
		return Alarm.Of(a.Bad)
	case lesson.Dead:
		return Normal.Of(" ")
	}
	return Normal.Of(a.None)
}

// overlap says how many believe at the cursor, if several do.
func (a axis) overlap() string {
	if here := a.run.Rows[a.At].Now; here.Believe > 1 {
		return a.Pair(a.Text("redis_wrong"), a.Count("overlap_several", here.Believe))
	}
	return ""
}
