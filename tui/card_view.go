package tui

import (
	"lockstep/strategies"
	"lockstep/tui/render"
)

// withCard is the card of a violation, below the panes if the terminal is
// tall enough for both.
func (m *model) withCard(w, h int) []string {
	var out []string
	card := m.cardText(w)
	least := tallLanes
	if !m.showsViolation() {
		least = lowLanes // what an answer was about is to be seen beside it
	}
	if left := h - len(card) - 1; left >= least && !m.isNarrow() {
		out = m.panes(w, left)
	}
	room, name := m.cardRoom(), ""
	if len(card) > room {
		name = m.lineCount(m.scroll, room, len(card))
	}
	out = append(out, render.Heading(name, m.theme, w))
	shown, _ := render.Scroll(card, m.scroll, room)
	return append(out, shown...)
}

// cardRoom is how many lines of a card can be seen.
func (m *model) cardRoom() int { return m.height - margins - m.captions.lines - 1 }

// cardText is what is said to an answer that was given, and then the card of
// the violation that is being looked at.
func (m *model) cardText(w int) []string {
	out := m.explanation(w)
	if !m.showsViolation() {
		return out
	}
	if len(out) > 0 {
		out = append(out, "")
	}
	return append(out, m.violationText(w)...)
}

// showsViolation says whether there is a violation for a card. Where the
// learner picks, that is any of the run: the cursor stays at its end.
func (m *model) showsViolation() bool {
	return len(m.here().Found) > 0 || m.screen == gameScreen && len(m.run.Found) > 0
}

func (m *model) violationText(w int) []string {
	f := m.run.Found[m.violation]
	v, text := m.book.Invariant(f.Prose()), m.book.Text
	card := render.Card{
		Invariant: f.Invariant, Verdict: m.violationLine(f.Violation), N: m.violation + 1, Of: len(m.run.Found),
		Parts: []render.Part{
			{Label: text("happened"), Text: v.Happened}, {Label: text("why"), Text: v.Why},
		},
	}
	if !m.inCourse() { // there, the parts that follow are about the rest
		card.Parts = append(card.Parts, render.Part{Label: text("costs"), Text: v.Costs}, render.Part{Label: text("fix"), Text: v.Fix})
	}
	card.Parts = append([]render.Part{{Label: text("consequence"), Text: m.consequence()}}, card.Parts...)
	if m.screen == playerScreen && m.player.at < m.player.rows-1 { // at the end, the caption says it
		card.Closing = text("meant_to_fail_after")
	}
	card.Parts = append(m.scoreParts(f.Invariant), card.Parts...)
	card.Known, card.Trouble, card.Causes = f.Known, f.Trouble, m.causes()
	return card.Draw(m.labels, m.theme, w)
}

// lockText is a lock's card with its whole source.
func (m *model) lockText(w int) []string {
	l, text := m.book.Lock(m.lock.ID), m.book.Text
	parts := []render.Part{
		{Label: text("claims"), Text: l.Claims}, {Label: text("works"), Text: l.Works},
		{Label: text("breaks"), Text: l.Breaks}, {Label: text("costs"), Text: l.Costs},
		{Label: text("fix"), Text: l.Fix}, {Label: text("seen"), Text: l.Seen},
	}
	out := render.Parts(parts, m.theme, w)
	out = append(out, "", render.Heading(text("source")+" "+m.lock.File, m.theme, w))
	source, err := strategies.Source(m.lock.File)
	if err != nil {
		return append(out, render.Wrap(err.Error(), w)...)
	}
	return append(out, render.Listing(source, m.theme, w)...)
}
