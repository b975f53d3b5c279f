package pages

import (
	"lockstep/internal/lesson"
	"lockstep/strategies"
	"lockstep/tui/render"
)

// A lockPage shows a lock's card and its whole source.
type lockPage struct {
	textPage
	lock strategies.Info
}

func newLockPage(s *shared, lock strategies.Info) *lockPage {
	p := &lockPage{textPage: textPage{shared: s}, lock: lock}
	p.text = p.lines
	return p
}

func (p *lockPage) title() (left, right string) {
	return p.book.Pair(p.lock.ID, p.lockName(p.lock.ID)), ""
}

func (p *lockPage) lines(w int) []render.Line {
	l, text := p.book.Lock(p.lock.ID), p.book.Text
	parts := []lesson.Part{
		{Label: text("claims"), Text: l.Claims}, {Label: text("works"), Text: l.Works},
		{Label: text("breaks"), Text: l.Breaks}, {Label: text("costs"), Text: l.Costs},
		{Label: text("fix"), Text: l.Fix}, {Label: text("seen"), Text: l.Seen},
	}
	out := render.Parts(parts, p.theme, w)
	out = append(out, nil, render.Heading(text("source")+" "+p.lock.File, p.theme, w))
	source, err := strategies.Source(p.lock.File)
	if err != nil {
		return append(out, render.Wrap(p.in(err), w)...)
	}
	return append(out, render.Listing(source, p.theme, w)...)
}
