package pages

import (
	"context"
	"sort"

	"lockstep/internal/explain"
	"lockstep/internal/lesson"
	"lockstep/sim/history"
	"lockstep/tui/render"
)

// An ifOnlyPage lists the what-if questions about a violation.
type ifOnlyPage struct {
	*shared
	run     *lesson.Run
	found   *lesson.Found
	account explain.Account
	menu    menu
}

var ifOnlyKey = newKey(choosing, 34, "ifonly", "w")

// toIfOnly returns the key that opens them.
func (v *viewer) toIfOnly() key {
	return ifOnlyKey.to(func() act {
		v.pause()
		found := v.shownOnCard()
		a := v.accounts[found].account
		return push(&ifOnlyPage{shared: v.shared, run: v.run, found: found, account: a, menu: menu{0, len(a.IfOnly)}})
	}).when(v.shownOnCard() != nil, "").when(v.run != nil && len(v.accounts[v.shownOnCard()].account.IfOnly) > 0, "why_no_ifonly")
}

func (p *ifOnlyPage) title() (left, right string) {
	return p.Text("ifonly"), p.Labels.Invariant(p.found.Invariant)
}

func (p *ifOnlyPage) status() (left, right string) { return p.violationLine(p.found.Violation), "" }

func (p *ifOnlyPage) here() explain.IfOnly { return p.account.IfOnly[p.menu.at] }

func (p *ifOnlyPage) keys() []key {
	return p.menu.keys(func() act {
		o := p.here()
		return push(newComparePage(p.shared, &ifOnly{p.shared, p.run, p.found, o}))
	})
}

func (p *ifOnlyPage) body(w, h int) render.Lines {
	var items []render.Item
	for _, o := range p.account.IfOnly {
		items = append(items, render.Item{Title: o.Asks.Text(p.Book)})
	}
	return p.choosing(p.Text("choose_ifonly"), items, p.menu.at, p.asItWas(p.here()), w, h)
}

// asItWas returns what a question would change, as it was in the run.
func (p *ifOnlyPage) asItWas(o explain.IfOnly) (parts []lesson.Part) {
	for _, i := range o.Causes {
		why := p.account.Why[i]
		parts = append(parts, lesson.Part{Label: p.Labels.Step(p.run.RowOf(why.Seq) + 1), Text: why.Text(p.Book)})
	}
	if o.Remedy >= 0 {
		parts = append(parts, p.passage("saved", p.account.Saved[o.Remedy].Text(p.Book)))
	}
	return parts
}

// An ifOnly is a run beside its changed version.
type ifOnly struct {
	*shared
	was   *lesson.Run
	found *lesson.Found
	explain.IfOnly
}

func (c *ifOnly) title() (left, right string) {
	return c.Text("ifonly"), c.Labels.Invariant(c.found.Invariant)
}

func (c *ifOnly) name(i int) string {
	return c.Text([]string{"as_it_was", "as_if"}[i])
}

// play prepares both runs. The explanation has played them already.
func (c *ifOnly) play(context.Context) (sides [2]side, err error) {
	var violations []history.Violation
	for _, f := range c.was.Found {
		violations = append(violations, f.Violation)
	}
	sides[0].run = lesson.NewRun(c.was.History, nil, violations)
	sides[1].run = lesson.NewRun(c.Played, nil, c.Violations)
	last := [2]int{-1, -1}
	for action := range c.Ends {
		was := c.was.History.Events
		to := [2]int{sort.Search(len(was), func(i int) bool { return was[i].Pick > action }), c.Ends[action]}
		var at [2]int
		for i, s := range sides {
			at[i] = s.run.Shown(to[i])
		}
		if at != last {
			for i := range sides {
				sides[i].upTo = append(sides[i].upTo, at[i])
			}
		}
		last = at
	}
	return sides, nil
}

// at numbers steps as the lanes do, for each run.
func (c *ifOnly) at(p *comparePage) string {
	was, would := p.sides[0], p.sides[1]
	with := facts{
		Step: was.upTo[p.step.at] + 1, Steps: len(was.run.Rows),
		N: would.upTo[p.step.at] + 1, Of: len(would.run.Rows),
	}
	if with.Step == with.N && with.Steps == with.Of {
		return c.Fill("at_step", with)
	}
	return c.Fill("at_steps", with)
}

func (c *ifOnly) partsAt(p *comparePage) string {
	was, would := p.sides[0].firstOf(p.parts)+1, p.sides[1].firstOf(p.parts)+1
	if was == would {
		return c.Labels.Step(was)
	}
	return c.Fill("step_and_step", facts{From: was, To: would})
}

// remark returns the question, and at the end its answer.
func (c *ifOnly) remark(p *comparePage, step int) render.Caption {
	remark := render.Caption{Question: c.Asks.Text(c.Book)}
	if step == p.step.n-1 {
		remark.Choices = c.Sentences(c.Came.Text(c.Book), c.Brings.Text(c.Book))
	}
	return remark
}

func (c *ifOnly) note(*comparePage, int) string { return "" }
