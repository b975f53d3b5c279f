package cli

import (
	"slices"

	"lockstep/internal/explain"
	"lockstep/internal/prose"
	"lockstep/scenarios"
	"lockstep/sim/history"
)

// explain prints what happened at a violation, why, what it cost and what would have
// saved it, unless the same was told of the same invariant before. What it cost is told
// when the transcript has come to it: so many events are printed.
func (t *transcript) explain(h history.History, v history.Violation, seen int) {
	a, err := scenarios.Explain(t.ctx, h, v)
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
	t.fact(t.book.Text("happened"), a.Happened.Text(t.book))
	if err != nil {
		t.fact(t.book.Text("why"), t.book.Fill("why_unknown", prose.TextFacts{What: t.in(err)}))
	}
	for i, s := range a.Why {
		t.why(s, a.Causes[i].Either)
	}
	for _, id := range a.Rests() {
		t.fact(t.book.Text("why"), t.book.Text(id))
	}
	for _, s := range a.Code {
		t.fact(t.book.Text("code"), s.Text(t.book))
	}
	if a.Cost.Seq < seen {
		t.fact(t.book.Text("cost"), a.Cost.Text(t.book))
	} else {
		t.unpaid = append(t.unpaid, cost{v.Invariant, a.Cost})
	}
	for _, s := range a.Saved {
		t.fact(t.book.Text("saved"), s.Text(t.book))
	}
}

// clearest ranks the kinds of causes: what befell a client says more than the order
// in which clients went on.
var clearest = []explain.Kind{explain.Lease, explain.Fault, explain.Renewal, explain.Time, explain.Order}

// briefly prints what happened at a violation, and the most clearest reason for it.
func (t *transcript) briefly(h history.History, v history.Violation) {
	a, err := scenarios.Explain(t.ctx, h, v)
	if t.ctx.Err() != nil {
		return // whoever prints says so
	}
	t.fact(t.book.Text("happened"), a.Happened.Text(t.book))
	switch {
	case err != nil:
		t.fact(t.book.Text("why"), t.book.Fill("why_unknown", prose.TextFacts{What: t.in(err)}))
	case len(a.Why) > 0:
		best := 0
		for i, c := range a.Causes {
			if slices.Index(clearest, c.Kind) < slices.Index(clearest, a.Causes[best].Kind) {
				best = i
			}
		}
		t.why(a.Why[best], a.Causes[best].Either)
	case len(a.Code) > 0:
		t.fact(t.book.Text("code"), a.Code[0].Text(t.book))
	}
}

// why prints one cause, with the step of the story that it belongs to.
func (t *transcript) why(s explain.Sentence, either bool) {
	label, text := t.book.Text("why"), s.Text(t.book)
	if t.step != nil {
		label = t.book.Fill("why_step", prose.TextFacts{Step: t.step(s.Seq)})
	}
	if either {
		text = t.book.Pair(t.book.Text("either"), text)
	}
	t.fact(label, text)
}

// A cost is what a violation cost.
type cost struct {
	invariant string
	explain.Sentence
}

// costs prints what is known only now, after so many events.
func (t *transcript) costs(seen int) {
	t.unpaid = slices.DeleteFunc(t.unpaid, func(c cost) bool {
		known := c.Seq < seen
		if known {
			t.fact(t.book.With(t.book.Text("cost"), t.book.InvariantName(c.invariant)), c.Text(t.book))
		}
		return known
	})
}
