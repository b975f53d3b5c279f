package pages

import (
	"lockstep/internal/lesson"
	"lockstep/strategies"
	"lockstep/tui/render"
)

// newLockPage returns the page of a lock's card and its whole source.
func newLockPage(s *shared, lock strategies.Info) page {
	return &textPage{
		shared: s, at: Place{Kind: "source", Name: lock.ID},
		name: func() (left, right string) { return s.book.Pair(lock.ID, s.lockName(lock.ID)), "" },
		text: func(w int) []render.Line { return s.card(lock, w) },
	}
}

func (p *shared) card(lock strategies.Info, w int) []render.Line {
	l, text := p.book.Lock(lock.ID), p.book.Text
	parts := []lesson.Part{
		{Label: text("claims"), Text: l.Claims}, {Label: text("works"), Text: l.Works},
		{Label: text("breaks"), Text: l.Breaks}, {Label: text("costs"), Text: l.Costs},
		{Label: text("fix"), Text: l.Fix}, {Label: text("seen"), Text: l.Seen},
	}
	out := append(render.Parts(parts, p.theme, w), nil, render.Heading(text("source")+" "+lock.File, p.theme, w))
	source, err := strategies.Source(lock.File)
	if err != nil {
		return append(out, render.Wrap(p.in(err), w)...)
	}
	return append(out, render.Listing(source, p.theme, w)...)
}
