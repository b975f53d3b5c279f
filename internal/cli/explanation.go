package cli

import (
	"fmt"
	"slices"

	"lockstep/internal/explain"
	"lockstep/internal/lesson"
	"lockstep/internal/prose"
	"lockstep/scenarios"
	"lockstep/sim/history"
)

// explain prints the explanation of a violation, once. A second one of the same kind
// has only what is different: what happened, its causes and its cost. It defers the cost until the transcript reaches its
// event; seen is how many events are printed.
func (t *transcript) explain(h history.History, v history.Violation, seen int) {
	this := fmt.Sprint(v.Invariant, " ", v.Client, " ", v.Seq)
	if t.told[this] {
		return
	}
	a, err := t.why(h, v)
	kind := v.Invariant
	for _, s := range append(a.Why, a.Code...) {
		kind += " " + s.ID
	}
	again := t.told[kind]
	if err == nil && !again {
		err = a.Prevent(t.ctx)
	}
	if t.ctx.Err() != nil {
		return // the caller reports it
	}
	t.told[kind], t.told[this] = true, true
	t.fact(t.book.Text("invariant"), t.book.InvariantName(v.Invariant))
	for _, r := range lesson.Explain(t.book, a, err) {
		if again && r.Kind != lesson.Happened && r.Kind != lesson.Why && r.Kind != lesson.Cost {
			continue
		}
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

// why says why a violation happened. The violations of one run share replays.
func (t *transcript) why(h history.History, v history.Violation) (explain.Account, error) {
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
	return t.explainer.Why(t.ctx, v)
}

// clearest ranks the kinds of causes. A fault or the end of a lease says more
// than an order of steps.
var clearest = []explain.CauseKind{explain.Lease, explain.Fault, explain.Renewal, explain.Time, explain.Order}

// briefly prints what happened at a violation and its clearest cause.
func (t *transcript) briefly(h history.History, v history.Violation) {
	run, err := scenarios.Explainer(h)
	var a explain.Account
	if err == nil {
		a, err = run.Why(t.ctx, v)
	}
	if t.ctx.Err() != nil {
		return // the caller reports it
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

// A cost is a deferred remark on what a violation cost.
type cost struct {
	invariant string
	lesson.Remark
}

// costs prints the deferred costs that the transcript has reached.
func (t *transcript) costs(seen int) {
	t.unpaid = slices.DeleteFunc(t.unpaid, func(c cost) bool {
		known := c.Seq < seen
		if known {
			t.fact(t.book.With(c.Label, t.book.InvariantName(c.invariant)), c.Text)
		}
		return known
	})
}
