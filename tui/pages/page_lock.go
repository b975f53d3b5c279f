package pages

import (
	"lockstep/strategies"
	"lockstep/tui/render"
)

// newLockPage returns the page of a lock's card and its whole source.
func newLockPage(s *shared, lock strategies.Info) page {
	return &textPage{
		shared: s, at: Place{Kind: "source", Name: lock.ID},
		name: func() (left, right string) { return s.Pair(lock.ID, s.lockName(lock.ID)), "" },
		text: func(w int) render.Lines { return s.card(lock, w) },
	}
}

func (p *shared) card(lock strategies.Info, w int) render.Lines {
	l, text := p.Lock(lock.ID), p.Text
	parts := passages{
		p.passage("claims", l.Claims), p.passage("works", l.Works),
		p.passage("breaks", l.Breaks), p.passage("costs", l.Costs),
		p.passage("fix", l.Fix), p.passage("seen", l.Seen),
	}
	out := append(p.Passages(parts, w), nil, p.Heading(text("source")+" "+lock.File, w))
	return append(out, p.Listing(strategies.Source(lock.File), w)...)
}
