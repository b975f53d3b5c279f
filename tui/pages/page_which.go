package pages

import (
	"context"

	"lockstep/scenarios"
	"lockstep/tui/render"
)

// A forkPage is one question of the tree that leads to a lock.
type forkPage struct {
	listPage
	question string
}

// newWhichPage returns the first question.
func newWhichPage(s *shared) *forkPage {
	return newForkPage(s, scenarios.WhichLock().Root)
}

func (s *shared) toWhich() key { return whichKey.to(func() act { return push(newWhichPage(s)) }) }

func newForkPage(s *shared, question string) *forkPage {
	choices := scenarios.WhichLock().Question[question]
	p := &forkPage{listPage{shared: s, menu: menu{0, len(choices)}, id: "which"}, question}
	p.open = func() act { return push(p.leadsTo(choices[p.at].Leads)) }
	p.items = func() (title string, items []render.Item, about passages) {
		for _, c := range choices {
			items = append(items, render.Item{Title: s.Text("which_" + c.ID)})
		}
		return s.Text("which_choose"), items, nil
	}
	return p
}

// leadsTo returns the page of a question or an advice of the tree; nil if there is none.
func (p *forkPage) leadsTo(id string) page {
	tree := scenarios.WhichLock()
	if tree.Question[id] != nil {
		return newForkPage(p.shared, id)
	}
	if advice, ok := tree.Advice[id]; ok {
		return &advicePage{p.shared, id, advice, scenarios.StandingOf(advice.Lock), menu{0, len(advice.Shows)}}
	}
	return nil
}

func (p *forkPage) body(w, h int) render.Lines {
	top := append(render.Ask.Wrap(p.Text("which_"+p.question), w), nil)
	return append(top, p.listPage.body(w, h-len(top))...)
}

// An advicePage is a lock, what the explorer found of it, and counterexamples to open.
type advicePage struct {
	*shared
	id       string
	advice   scenarios.Advice
	standing []scenarios.Standing
	menu
}

func (p *advicePage) title() (left, right string) {
	return p.Text("which"), p.Pair(p.advice.Lock, p.lockName(p.advice.Lock))
}

func (p *advicePage) keys() []key {
	if p.n == 0 {
		return nil
	}
	return append(p.menu.keys(p.open), copyKey.to(func() act { return p.showToken(p.shown().Token, p.advice.Lock, nil) }))
}

func (p *advicePage) shown() scenarios.Shown { return p.advice.Shows[p.at] }

// open plays the counterexample at the cursor.
func (p *advicePage) open() act {
	shown := p.shown()
	name := func() string { return p.Pair(p.advice.Lock, p.Hazard(shown.Hazard).Name) }
	return push(newRunPage(p.shared, p.advice.Lock, name, func(ctx context.Context) (*scenarios.Story, error) {
		run, err := scenarios.FromToken(ctx, shown.Token)
		return run.Story, err
	}))
}

func (p *advicePage) body(w, h int) render.Lines {
	top := p.Passages(passages{
		{Label: p.advice.Lock, Text: p.Text("which_" + p.id)},
		p.passage("which_holds", p.under(p.standing, true)),
		p.passage("which_breaks", p.under(p.standing, false)),
	}, w)
	top = append(top[:min(len(top), h-4)], nil)
	var items []render.Item
	for _, s := range p.advice.Shows {
		items = append(items, render.Item{Title: p.Hazard(s.Hazard).Name, Note: p.harmUnder(s.Hazard)})
	}
	if len(items) == 0 {
		return top
	}
	top = append(top, p.Heading(p.Text("which_shown"), w))
	return append(top, p.Menu(items, p.at, w, h-len(top))...)
}

// under lists the hazards under which the lock holds, or those under which it does not,
// with the harm.
func (p *shared) under(standing []scenarios.Standing, holds bool) string {
	var names []string
	for _, s := range standing {
		name := p.Hazard(s.Hazard).Name
		switch {
		case (s.Harm == "") != holds:
		case holds:
			names = append(names, name)
		default:
			names = append(names, p.With(name, p.Text("harm_"+string(s.Harm))))
		}
	}
	return p.Names(names...)
}

func (p *advicePage) harmUnder(hazard string) string {
	for _, s := range p.standing {
		if s.Hazard == hazard && s.Harm != "" {
			return p.Text("harm_" + string(s.Harm))
		}
	}
	return ""
}
