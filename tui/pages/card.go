package pages

import (
	"slices"

	"lockstep/internal/lang"
	"lockstep/internal/lesson"
	"lockstep/sim/history"
	"lockstep/tui/render"
)

const (
	tallLanes = 14 // lines of panes that must be left for a card to stand below them
	lowLanes  = 10 // the same, if the card only explains an answer, or the panes are stacked
)

// withCard returns the panes with the card of a violation: beside the bands if the
// whole card fits there, or below the panes if the terminal is tall enough. Otherwise a
// short strip stands below the panes, until the user opens the whole card.
func (v *viewer) withCard(w, h int) render.Lines {
	if card, ok := v.besideBands(w, h); ok {
		return v.broad(w, h, card.Indent())
	}
	card := v.cardText(w)
	if left, ok := v.belowPanes(card, h); ok {
		return append(append(v.panesOf(w, left), v.heading(cardPane, "", w)), card...)
	}
	if !v.full {
		strip := v.strip(w, h)
		out := v.panesOf(w, h-len(strip)-1)
		return append(append(out, v.heading(cardPane, v.Pair(cardKey.names(v.Book), v.Text("whole_card")), w)), strip...)
	}
	room, name := v.cardRoom(), ""
	if len(card) > room {
		name = v.count(v.Book, card, room)
	}
	return append(render.Lines{v.heading(cardPane, name, w)}, v.show(card, room)...)
}

// besideBands returns the card if all of it fits beside the bands.
func (v *viewer) besideBands(w, h int) (card render.Lines, ok bool) {
	_, right, ok := v.bandColumns(w, h)
	if !ok {
		return nil, false
	}
	card = v.cardText(right - 1)
	return card, len(card) <= h-leastTop-1
}

// belowPanes returns how many lines the panes keep above a card, and whether that is
// enough.
func (v *viewer) belowPanes(card render.Lines, h int) (left int, ok bool) {
	least := tallLanes
	if v.isNarrow() || !v.host.violationsHere() {
		least = lowLanes // what an answer was about is to be seen beside it
	}
	left = h - len(card) - 1
	return left, left >= least
}

// fits reports whether the whole card and the panes fit.
func (v *viewer) fits(w, h int) bool {
	if _, ok := v.besideBands(w, h); ok {
		return true
	}
	_, ok := v.belowPanes(v.cardText(w), h)
	return ok
}

// covered reports whether the card has replaced the panes.
func (v *viewer) covered() bool {
	return v.run != nil && v.card && v.full && !v.fits(v.width, v.room()-v.above())
}

// strip returns the card in a few lines: the answer, the violation and its causes, one
// line each.
func (v *viewer) strip(w, h int) render.Lines {
	if !v.host.violationsHere() {
		return v.host.aboutAnswers(w).Cut(w, max(3, h/3))
	}
	card := v.violationCard(w)
	card.Answers = card.Answers.Cut(w, 3) // the result, and the reason that matters most
	room := max(4, h/2-1)
	return card.Strip(v.Theme, w, room).Cut(w, room)
}

// cardRoom returns how many lines of a card are visible.
func (v *viewer) cardRoom() int { return v.room() - v.above() - 1 }

// cardText returns the comment on an answer, and then the card of the current
// violation.
func (v *viewer) cardText(w int) render.Lines {
	if !v.host.violationsHere() {
		return v.host.aboutAnswers(w)
	}
	return v.violationText(w)
}

// violationCard returns the card of the current violation without the state of the resource,
// for which a strip has no room.
func (v *viewer) violationCard(w int) render.Card {
	f := &v.run.Found[v.violation]
	more := v.host.onCard(f.Invariant)
	told := slices.DeleteFunc(v.explanation(f), func(r lesson.Remark) bool {
		return r.Kind == lesson.Cost && v.run.RowOf(r.Seq) > v.seen || // it lies ahead
			r.Kind == lesson.Saved && more.brief
	})
	return render.Card{
		Found: *f, Explanation: told, Causes: v.causes(), Says: v.violatedHere(), Verdict: v.violationLine(f.Violation),
		Parts: more.first, Won: more.won, Answers: v.host.aboutAnswers(w), Closing: more.closing,
	}
}

// violationText draws the whole card of the current violation.
func (v *viewer) violationText(w int) render.Lines {
	card := v.violationCard(w)
	card.Parts = append(card.Parts, v.passage("count", v.consequence(v.host.onCard(card.Invariant).end)))
	return card.Draw(v.Theme, w)
}

// nthViolation returns the name of a violated invariant and, once all of the run was seen,
// the number of the violation in it.
func (v *viewer) nthViolation(invariant string) string {
	says, n := v.Violated(invariant), len(v.run.Found)
	if n == 1 || v.seen < v.rows-1 {
		return says
	}
	return v.With(says, v.Count("nth", v.violation+1, n))
}

// violatedHere lists the violations at the step of the current one, that one first.
func (v *viewer) violatedHere() string {
	at := v.run.Found[v.violation]
	list := []any{v.nthViolation(at.Invariant)}
	for i := range v.run.Found {
		if f := &v.run.Found[i]; i != v.violation && f.Row == at.Row {
			list = append(list, v.Violated(f.Invariant))
		}
	}
	return v.in(lang.Join("; ", list...))
}

// consequence returns the state of the resource: so far, and at the end.
func (v *viewer) consequence(end bool) string {
	now := v.effect(v.snapshot().Effect)
	with := facts{What: now}
	if end {
		if with.Said = v.effect(v.run.At(len(v.run.Rows) - 1).Effect); with.Said != now {
			return v.Fill("effect_later", with)
		}
	}
	return v.Fill("effect_now", with)
}

func (s *shared) effect(e history.Effect) string { return s.in(e.Message()) }
