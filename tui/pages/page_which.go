package pages

import (
	"context"
	"slices"
	"strings"

	"lockstep/scenarios"
	"lockstep/sim/history"
	"lockstep/tui/render"
)

// A forkPage is one question of the tree that leads to a lock.
type forkPage struct {
	listPage
	tree scenarios.Tree
	fork *scenarios.Fork
}

// newWhichPage returns the first question, or the error text if there is none.
func newWhichPage(s *shared) page {
	tree, err := scenarios.WhichLock()
	if err != nil {
		return &textPage{
			shared: s, name: func() (left, right string) { return s.Text("which"), "" },
			text: func(w int) render.Lines { return render.Wrap(s.in(err), w) },
		}
	}
	return newForkPage(s, tree, &tree.Questions[0])
}

func newForkPage(s *shared, tree scenarios.Tree, fork *scenarios.Fork) *forkPage {
	p := &forkPage{listPage: listPage{shared: s, menu: menu{0, len(fork.Choices)}, id: "which"}, tree: tree, fork: fork}
	if strings.HasPrefix(fork.ID, "begin") {
		p.id = "begin"
	}
	p.open = func() act {
		leads := fork.Choices[p.at].Leads
		if strings.HasPrefix(leads, scenarios.ToChapter) {
			return p.beginAt(leads)
		}
		return push(p.leadsTo(leads))
	}
	p.items = func() (title string, items []render.Item, about passages) {
		for _, c := range fork.Choices {
			items = append(items, render.Item{Title: s.Text("which_" + c.ID)})
		}
		return s.Text(p.id + "_choose"), items, nil
	}
	return p
}

// leadsTo returns the page of a question or an advice of the tree; nil if there is none.
func (p *forkPage) leadsTo(id string) page {
	if next := p.tree.Question(id); next != nil {
		return newForkPage(p.shared, p.tree, next)
	}
	if advice := p.tree.AdviceOf(id); advice != nil {
		standing, _ := scenarios.StandingOf(advice.Lock) // a test reads them
		return &advicePage{p.shared, advice, standing, menu{0, len(advice.Shows)}}
	}
	return nil
}

func (p *forkPage) body(w, h int) render.Lines {
	top := append(render.Ask.Wrap(p.Text("which_"+p.fork.ID), w), nil)
	return append(top, p.listPage.body(w, h-len(top))...)
}

// An advicePage is a lock, what the explorer found of it, and counterexamples to open.
type advicePage struct {
	*shared
	advice   *scenarios.Advice
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
	return append(p.menu.keys(p.open), copyKey.to(func() act {
		config, schedule, err := history.ParseToken(p.shown().Token)
		if err != nil {
			return say(p.in(err))
		}
		return p.showToken(config, schedule, nil)
	}))
}

func (p *advicePage) shown() scenarios.Shown { return p.advice.Shows[p.at] }

// open plays the counterexample at the cursor.
func (p *advicePage) open() act {
	shown := p.shown()
	name := func() string { return p.Pair(p.advice.Lock, p.Hazard(shown.Hazard).Name) }
	return push(newRunPage(p.shared, p.advice.Lock, name, func(ctx context.Context) (*scenarios.Story, error) {
		config, schedule, err := history.ParseToken(shown.Token)
		if err != nil {
			return nil, err
		}
		return scenarios.FromSchedule(ctx, "counterexample", config, schedule)
	}))
}

func (p *advicePage) body(w, h int) render.Lines {
	top := p.Passages(passages{
		{Label: p.advice.Lock, Text: p.Text("which_" + p.advice.ID)},
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
	i := slices.IndexFunc(p.standing, func(s scenarios.Standing) bool { return s.Hazard == hazard })
	if i < 0 || p.standing[i].Harm == "" {
		return ""
	}
	return p.Text("harm_" + string(p.standing[i].Harm))
}
