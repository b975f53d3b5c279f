package cli

import (
	"context"
	"strings"

	"lockstep/internal/lang"
	"lockstep/internal/trial"
	"lockstep/sim/history"
)

// printAll prints the reports of all locks.
func (a *app) printAll(ctx context.Context, all []tried) {
	for i, t := range all {
		if i > 0 {
			a.say("")
		}
		a.printTried(t)
	}
	if judgeTried(all) == nil && ctx.Err() == nil {
		a.say("")
		a.say("Within these bounds, nothing is violated but what is allowed.")
	}
}

// printTried prints a line for each hazard, then the violations, what was
// allowed, and the assumptions.
func (a *app) printTried(t tried) {
	a.say("Lock: %s, %s of %s", t.ID, t.Test, t.suite.Path)
	var rows [][]string
	for _, r := range t.reports {
		rows = append(rows, []string{r.Hazard, a.in(r.Verdict), a.in(r.Reach()), a.in(a.detail(r))})
	}
	for _, line := range trial.Columns(rows) {
		a.say("%s", line)
	}
	if left := trial.Undecided(t.reports); len(left) > 0 {
		a.say("not decided: %v; locktest.Limit, or go test -lockstep.long, explores for longer", lang.Names(left))
	}
	for _, hint := range trial.Hints(t.reports) {
		a.say("%v", hint)
	}
	drawn := false
	for _, id := range history.Invariants() {
		drawn = a.printViolated(t, id, drawn) || drawn
	}
	a.printAllowed(t)
	a.say("")
	for _, r := range t.reports {
		if r.Assumptions != "" {
			a.say("Assumptions: %s: %s", r.Hazard, r.Assumptions)
		}
	}
}

// detail says what was found, or why nothing was.
func (a *app) detail(r *trial.Report) lang.List {
	var parts []any
	var allowed []string
	for _, f := range r.Found {
		switch {
		case f.Allowed != "":
			allowed = append(allowed, f.Invariant)
		case f.New():
			parts = append(parts, lang.New("%s (%v)", f.Invariant, f.Size()))
		case f.Same != "":
			parts = append(parts, f.Again())
		}
	}
	if len(allowed) > 0 {
		parts = append(parts, lang.New("allowed: %v", lang.Names(allowed)))
	}
	if r.Reason != "" {
		parts = append(parts, r.Reason)
	}
	if r.Accepted != "" {
		parts = append(parts, lang.New("accepted, since %s", r.Accepted))
	}
	if !r.Explored.Since.IsZero() {
		parts = append(parts, lang.New("cached, computed on %s", onDay(r.Explored.Since)))
	}
	return lang.Join("; ", parts...)
}

// printViolated prints how an invariant is violated: the shortest schedule of
// all hazards, or one line if brief, and the other hazards that violate it.
func (a *app) printViolated(t tried, invariant string, brief bool) (violated bool) {
	at := worstOf([]tried{t}, func(f trial.Found) bool { return f.Invariant == invariant })
	if at == nil {
		return false
	}
	if !brief {
		a.hazard(&at.Explored)
	}
	check := "lockstep check " + a.guestsOf
	var others []string
	for _, r := range t.reports {
		for i := range r.Found {
			f := &r.Found[i]
			switch {
			case f.Invariant != invariant || f.Allowed != "":
			case r != at:
				others = append(others, r.Hazard)
			case brief:
				a.say("")
				a.say("Also: %s (%s: %v)", f.Says, r.Hazard, f.Size())
				a.say("In the walkthrough: %s --token %s", check, f.Token)
			default:
				for _, line := range strings.Split(strings.TrimSpace(f.Text(a.book.Language(), check)), "\n") {
					a.say("%s", line)
				}
			}
		}
	}
	if len(others) > 0 {
		a.say("%s is violated under %v, too.", invariant, lang.Names(others))
	}
	return true
}

// printAllowed prints what each hazard allows.
func (a *app) printAllowed(t tried) {
	a.say("")
	for _, r := range t.reports {
		if allowed := trial.Allowed(r.Found); !allowed.None() {
			a.say("%s: %v", r.Hazard, allowed)
		}
	}
	for _, unneeded := range t.Plan.Unneeded(t.reports) {
		a.say("The allowance of %s under %s is not needed: no schedule within the bounds violates it", unneeded.Invariant, unneeded.Hazard)
	}
}
