package pages

import (
	"context"
	"sort"

	"lockstep/internal/explain"
	"lockstep/internal/lesson"
	"lockstep/sim/history"
	"lockstep/tui/render"
)

// toIfOnly returns the key that opens the what-if questions about the violation on the card.
func (v *viewer) toIfOnly() key {
	found := v.shownOnCard()
	return keyOf("ifOnly").to(func() act {
		v.pause()
		return push(newIfOnlyPage(v.shared, v.run, found, v.accounts[found].account))
	}).when(found != nil).when(v.run != nil && len(v.accounts[found].account.IfOnly) > 0, "why_no_ifonly")
}

func newIfOnlyPage(s *shared, run *lesson.Run, found *lesson.Found, account explain.Account) page {
	p := &listPage{shared: s, menu: menu{0, len(account.IfOnly)}, id: "ifonly"}
	p.of = func() string { return s.InvariantName(found.Invariant) }
	p.state = func() string { return s.violationLine(found.Violation) }
	p.open = func() act {
		return push(newComparePage(s, &ifOnly{s, run, found, account.IfOnly[p.at]}))
	}
	p.items = func() (title string, items []render.Item, about passages) {
		for _, o := range account.IfOnly {
			items = append(items, render.Item{Title: o.Asks.Text(s.Book)})
		}
		// What the question would change, as it was in the run.
		o := account.IfOnly[p.at]
		for _, i := range o.Causes {
			why := account.Why[i]
			about = append(about, lesson.Part{Label: s.Count("nth_step", run.RowOf(why.Seq)+1), Text: why.Text(s.Book)})
		}
		if o.Remedy >= 0 {
			about = append(about, s.passage("saved", account.Saved[o.Remedy].Text(s.Book)))
		}
		return s.Text("choose_ifonly"), items, about
	}
	return p
}

// An ifOnly is a run beside its changed version.
type ifOnly struct {
	*shared
	was   *lesson.Run
	found *lesson.Found
	explain.IfOnly
}

func (c *ifOnly) title() (left, right string) {
	return c.Text("ifonly"), c.InvariantName(c.found.Invariant)
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
		return c.Count("nth_step", was)
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
