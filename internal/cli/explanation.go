package cli

import (
	"slices"

	"lockstep/internal/explain"
	"lockstep/internal/lesson"
	"lockstep/internal/prose"
	"lockstep/scenarios"
	"lockstep/sim/history"
)

// explain prints what happened at a violation, why, what it cost and what would have
// saved it, unless the same was told of the same invariant before. What it cost is told
// when the transcript has come to it: so many events are printed.
func (t *transcript) explain(h history.History, v history.Violation, seen int) {
	a, err := t.account(h, v)
	if t.ctx.Err() != nil {
		return // whoever prints says so
	}
	kind := v.Invariant
	for _, s := range append(a.Why, a.Code...) {
		kind += " " + s.ID
	}
	if t.told[kind] {
		return
	}
	t.told[kind] = true
	t.fact(t.book.Text("invariant"), t.book.InvariantName(v.Invariant))
	for _, r := range lesson.Explain(t.book, a, err) {
		if r.Kind == lesson.Why && t.step != nil {
			r.Label = t.book.Fill("why_step", prose.TextFacts{Step: t.step(r.Seq)})
		}
		if r.Kind == lesson.Cost && r.Seq >= seen {
			t.unpaid = append(t.unpaid, cost{v.Invariant, r})
			continue
		}
		t.fact(r.Label, r.Text)
	}
}

// account explains a violation of a run; those of one run share what is played.
func (t *transcript) account(h history.History, v history.Violation) (explain.Account, error) {
	if len(h.Events) == 0 {
		return scenarios.Explain(t.ctx, h, v)
	}
	if t.explainer == nil || t.explains != &h.Events[0] {
		var err error
		if t.explainer, err = scenarios.Explainer(h); err != nil {
			return explain.Account{}, err
		}
		t.explains = &h.Events[0]
	}
	return t.explainer.Tell(t.ctx, v)
}

// clearest ranks the kinds of causes: what befell a client says more than the order
// in which clients went on.
var clearest = []explain.Kind{explain.Lease, explain.Fault, explain.Renewal, explain.Time, explain.Order}

// briefly prints what happened at a violation, and the most clearest reason for it.
func (t *transcript) briefly(h history.History, v history.Violation) {
	a, err := t.account(h, v)
	if t.ctx.Err() != nil {
		return // whoever prints says so
	}
	e := lesson.Explain(t.book, a, err)
	for _, r := range e.Only(lesson.Happened) {
		t.fact(r.Label, r.Text)
	}
	why := e.Only(lesson.Why)
	for i, c := range a.Causes[:len(why)] {
		if best := a.Causes[0]; slices.Index(clearest, c.Kind) < slices.Index(clearest, best.Kind) {
			a.Causes[0], why[0] = c, why[i]
		}
	}
	for _, r := range append(append(why, e.Only(lesson.Trouble)...), e.Only(lesson.Code)...) {
		t.fact(r.Label, r.Text)
		return
	}
}

// A cost is what a violation cost.
type cost struct {
	invariant string
	lesson.Remark
}

// costs prints what is known only now, after so many events.
func (t *transcript) costs(seen int) {
	t.unpaid = slices.DeleteFunc(t.unpaid, func(c cost) bool {
		known := c.Seq < seen
		if known {
			t.fact(t.book.With(c.Label, t.book.InvariantName(c.invariant)), c.Text)
		}
		return known
	})
}
