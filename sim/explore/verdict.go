package explore

import "lockstep/internal/lang"

// A Verdict is what an exploration says of a lock under a hazard.
type Verdict string

// The verdicts. Only Holds is a pass.
const (
	Violated     Verdict = "VIOLATED"     // some schedule violates an invariant
	Holds        Verdict = "HOLDS"        // no schedule within the bounds does
	Vacuous      Verdict = "VACUOUS"      // none does, but what the hazard is about never happened
	Inconclusive Verdict = "INCONCLUSIVE" // none that was tried does, and a limit ended the search
)

// Verdicts are all there are.
var Verdicts = []lang.Word{"VIOLATED", "HOLDS", "VACUOUS", "INCONCLUSIVE"}

// In says it in a language.
func (v Verdict) In(l lang.Language) string { return lang.Word(v).In(l) }

// Verdict sums the report up, with the reason where there is one to give.
func (r *Report) Verdict() (v Verdict, reason lang.Message) {
	switch {
	case len(r.Found) > 0:
		return Violated, r.Trouble
	case !r.Trouble.None(): // a panic ends a process; what the lock would have done without is not known
		return Inconclusive, r.Trouble
	}
	if r.Limit != "" {
		return Inconclusive, lang.New("ended by the limit on %v", lang.Word(r.Limit))
	}
	h, known := FindHazard(r.Hazard)
	if known && h.missing != nil {
		if why := h.missing(&r.Counts); !why.None() {
			return Vacuous, why
		}
	}
	return Holds, lang.Message{}
}
