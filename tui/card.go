package tui

import (
	"lockstep/scenarios/prose"
	"lockstep/sim/history"
	"lockstep/tui/render"
)

const (
	tallLanes = 14 // lines of panes that must be left for a card to stand below them
	lowLanes  = 10 // the same, if the card only explains an answer
)

// withCard is the card of a violation, beside the bands if all of it has room
// there, or below the panes if the terminal is tall enough for both.
func (v *viewer) withCard(w, h int) []string {
	if _, right, ok := v.bandColumns(w, h); ok {
		if card := v.cardText(right - 1); len(card) <= h-leastTop-1 {
			return v.broad(w, h, indent(card))
		}
	}
	var out []string
	card := v.cardText(w)
	least := tallLanes
	if !v.around.violationsHere() {
		least = lowLanes // what an answer was about is to be seen beside it
	}
	if left := h - len(card) - 1; left >= least && !v.isNarrow() {
		out = v.panesOf(w, left)
	}
	room, name := v.cardRoom(), ""
	if len(card) > room {
		name = v.count(v.book, card, room)
	}
	out = append(out, render.Heading(name, v.theme, w))
	return append(out, v.show(card, room)...)
}

func indent(lines []string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = " " + line
	}
	return out
}

// cardRoom is how many lines of a card can be seen.
func (v *viewer) cardRoom() int { return v.room() - v.lines - 1 }

// cardText is what is said to an answer that was given, and then the card of
// the violation that is being looked at.
func (v *viewer) cardText(w int) []string {
	out := v.around.aboutAnswers(w)
	if !v.around.violationsHere() {
		return out
	}
	if len(out) > 0 {
		out = append(out, "")
	}
	return append(out, v.violationText(w)...)
}

// violationText is the card of the violation that is being looked at.
func (v *viewer) violationText(w int) []string {
	f := v.inWords(&v.run.Found[v.violation])
	more := v.around.onCard(f.Invariant)
	if f.CostStep > v.player.seen+1 { // it lies ahead
		f.Cost = render.Part{}
	}
	if more.brief {
		f.Saved = nil
	}
	f.Causes = v.causes()
	card := render.Card{
		Found: f, Says: v.nthViolation(f.Invariant), Verdict: v.violationLine(f.Violation), Closing: more.closing,
		Parts: append(more.first, render.Part{Label: v.book.Text("consequence"), Text: v.consequence(more.end)}),
	}
	return card.Draw(v.labels, v.theme, w)
}

// nthViolation says that an invariant is violated, and which violation of the run
// that is.
func (v *viewer) nthViolation(invariant string) string {
	says, n := v.labels.Violated(invariant), len(v.run.Found)
	if n == 1 {
		return says
	}
	return v.book.With(says, v.book.Fill("nth", prose.TextFacts{N: v.violation + 1, Of: n}))
}

// consequence is what became of the resource: so far, and in the end.
func (v *viewer) consequence(end bool) string {
	now := v.effect(v.snapshot().Effect)
	facts := prose.TextFacts{What: now}
	if end {
		if facts.Said = v.effect(v.run.At(len(v.run.Rows) - 1).Effect); facts.Said != now {
			return v.book.Fill("effect_later", facts)
		}
	}
	return v.book.Fill("effect_now", facts)
}

func (s *shared) effect(e history.Effect) string { return e.Message().In(s.book.Language()) }
