package explore

import (
	"context"
	"fmt"
)

// A Verdict is what an exploration says of a lock under a hazard.
type Verdict string

// The verdicts. Only Holds is a pass.
const (
	Violated     Verdict = "VIOLATED"     // some schedule violates an invariant
	Holds        Verdict = "HOLDS"        // no schedule within the bounds does
	Vacuous      Verdict = "VACUOUS"      // none does, but what the hazard is about never happened
	Inconclusive Verdict = "INCONCLUSIVE" // none that was tried does, and a limit ended the search
)

// Verdict sums the report up, with the reason where there is one to give.
func (r *Report) Verdict() (v Verdict, reason string) {
	switch {
	case len(r.Found) > 0:
		return Violated, r.Trouble
	case r.Trouble != "": // a panic ends a process; what the lock would have done without is not known
		return Inconclusive, r.Trouble
	}
	if r.Limit != "" {
		return Inconclusive, fmt.Sprintf("ended by the limit on %s", r.Limit)
	}
	h, known := FindHazard(r.Hazard)
	if known && h.missing != nil {
		if why := h.missing(&r.Counts); why != "" {
			return Vacuous, why
		}
	}
	return Holds, ""
}

// Check explores a lock under a hazard.
func Check(ctx context.Context, h Hazard, l Lock, o Options, clients ...string) (Report, error) {
	r, err := Explore(ctx, h.Config(l, clients...), l.Subject, h.Bounds, o)
	r.Hazard = h.ID
	return r, err
}
