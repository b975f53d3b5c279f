package render

import (
	"slices"

	"lockstep/internal/lesson"
	"lockstep/internal/prose"
	"lockstep/sim/history"
)

func (t Theme) judgedNames(r *lesson.Run) (names []string) {
	for _, id := range r.Judged() {
		names = append(names, t.InvariantName(id))
	}
	return names
}

// Strip draws one row for each invariant, with a mark for each step. If there is no room
// for all, it keeps the violated ones.
func (t Theme) Strip(r *lesson.Run, c Cursor, w, h int) Lines {
	a := t.newAxis(r, c, t.judgedNames(r), w)
	return append(Lines{a.ruler()}, a.strip(h-1)...)
}

// StripLines is the height of the whole strip.
func StripLines(r *lesson.Run) int { return 1 + len(r.Judged()) }

// BandWidth returns the width at which bands and strip show all steps and words.
func (t Theme) BandWidth(r *lesson.Run) int {
	a := t.newAxis(r, Cursor{}, append(t.bandNames(r), t.judgedNames(r)...), 0)
	return 2 + a.name + max(len(r.Rows), leastCells) + wordWidth
}

// briefLines is the height of a brief strip.
const briefLines = 4

// Timeline draws the bands, and below them a brief strip, on one axis.
func (t Theme) Timeline(r *lesson.Run, c Cursor, w, h int) Lines {
	a := t.newAxis(r, c, append(t.bandNames(r), t.judgedNames(r)...), w)
	bands := a.beliefs(h - 1 - briefLines)
	if len(r.History.Config.Clients) > Few {
		bands = a.most(bands, h-1-briefLines)
	}
	return append(append(Lines{a.ruler()}, bands...), a.brief(briefLines)...)
}

// brief draws what is violated so far, and counts the other invariants on one line. Its
// height is always the same, so that nothing jumps.
func (a axis) brief(h int) Lines {
	violated, undecided := 0, 0
	for _, id := range a.run.Judged() {
		if _, fails := a.broken(id); fails {
			violated++
		} else if a.undecided(id, a.At) {
			undecided++
		}
	}
	shown := min(violated, h-1)
	out := a.rows(a.gravest(shown))
	rest := a.Fill("rest", prose.TextFacts{N: len(a.run.Judged()) - violated - undecided, Of: undecided, From: violated - shown})
	out = append(out, Faint.Line(Trim("  "+rest, 2+a.name+a.cells+a.word)))
	for len(out) < h {
		out = append(out, nil)
	}
	return out
}

func (a axis) strip(h int) Lines {
	shown := a.run.Judged()
	if left := len(shown) - h; left > 0 {
		shown, left = a.gravest(max(0, h-1)), left+1
		return append(a.rows(shown), Faint.Line(Trim("  "+a.Count("more", left), a.name+a.cells)))
	}
	return a.rows(shown)
}

// gravest returns n invariants in their order, preferring violated ones.
func (a axis) gravest(n int) []string {
	judged := a.run.Judged()
	return first(judged, n, func(i int) bool {
		_, fails := a.broken(judged[i])
		return fails
	})
}

// broken returns the row at which an invariant first fails, if that is known yet.
func (a axis) broken(invariant string) (row int, fails bool) {
	i := a.run.FirstOf(invariant)
	if i < 0 || a.run.Found[i].Row > a.At {
		return -1, false
	}
	return a.run.Found[i].Row, true
}

func (a axis) rows(invariants []string) Lines {
	var out Lines
	for _, id := range invariants {
		word := ""
		first, fails := a.broken(id)
		if fails {
			word = a.Count("broken_since", first+1)
		}
		out = append(out, a.line(a.InvariantName(id), 0, word, fails, func(row int) Span { return a.verdict(id, row, first) }))
	}
	return out
}

// verdict returns the mark of an invariant at a row. first is the row at which it first
// fails; -1 for none.
func (a axis) verdict(invariant string, at, first int) Span {
	t := a.Theme
	switch {
	case slices.ContainsFunc(a.run.Rows[at].Found, func(i int) bool { return a.run.Found[i].Invariant == invariant }):
		return Alarm.Of(t.Bad)
	case first >= 0 && at > first:
		return Alarm.Of(t.Wire)
	case a.undecided(invariant, at):
		return Normal.Of(t.Open)
	}
	return Normal.Of(t.None)
}

// undecided reports whether an invariant that is not violated is not decided at a row.
func (a axis) undecided(invariant string, at int) bool {
	return history.Tried(invariant) && !a.run.Rows[at].Decides(invariant)
}
