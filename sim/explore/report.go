package explore

import (
	"errors"
	"fmt"

	"lockstep/internal/lang"
	"lockstep/sim/history"
	"lockstep/sim/model"
)

// A Report is what an exploration came to.
type Report struct {
	Hazard      string
	Config      history.Config
	Bounds      Bounds
	Found       []Found // by invariant, in the order of history.Invariants
	States      int     // distinct states that were reached
	Transitions int
	Depth       int // of the deepest state
	Bytes       int // that the states take
	// Limit names what cut the exploration short: states, memory, depth, interrupt, RealTime, or
	// recovery where lock-recovers could not be decided; "" if every state
	// within the bounds was reached and judged. FirstViolation, if more was not
	// asked for, is no failure.
	Limit string
	// Trouble says what is wrong with the lock's code itself: it panicked, or it
	// did not come to the seam, and the Limit is RealTime. Nothing for none.
	Trouble lang.Message
	Spins   []model.Spin // code that was taken to spin, one for each client
	Counts  Counts
	// How often a client's real code ran, and a real miniredis executed something,
	// for what was not known of the lock in such a world before.
	ClientRuns, NodeRuns int
}

// What a Report's Limit can be, for the translations.
var _ = []lang.Word{"states", "memory", "depth", "interrupt", "real time", "recovery", "runs", "the first violation"}

// FirstViolation is the limit of a search that was to end there.
const FirstViolation = "the first violation"

// outOfMemory is the limit of a search that takes more memory than it may.
const outOfMemory = "memory"

// A Found is one violated invariant with a schedule that leads to it: fewest
// faults, then fewest steps.
type Found struct {
	Violation history.Violation
	Schedule  history.Schedule
	// Shortest says that no schedule with fewer faults, or as many and fewer
	// steps, leads there. It is said only where the search has shown it.
	Shortest bool
	// Point is the number of actions after which every ending within the bounds
	// has the violation, whatever anybody does; -1 if that is so from the start,
	// 0 if it is not known.
	Point int
}

// Worst returns the gravest of what was found, in the order of
// history.Invariants; nil if nothing was found.
func (r *Report) Worst() *Found {
	if len(r.Found) == 0 {
		return nil
	}
	return &r.Found[0]
}

// Assumptions says in one line under which bounds the verdict was reached.
func (r *Report) Assumptions() lang.List {
	b := r.Bounds
	parts := []any{r.Config}
	if b.Budget > 0 {
		parts = append(parts, lang.New("at most %d of: %s", b.Budget, lang.Names(faultNames(b.Faults))))
	} else {
		parts = append(parts, lang.New("no fault"))
	}
	switch {
	case b.Leap > 0 && b.Anywhere:
		parts = append(parts, lang.New("time passes to the next deadline, or by %v where there is none, at any moment, at most %d times", b.Leap, b.Ticks))
	case b.Leap > 0:
		parts = append(parts, lang.New("time passes to the next deadline, or by %v where there is none, when nobody who has begun can take a step, at most %d times", b.Leap, b.Ticks))
	case b.Anywhere:
		parts = append(parts, lang.New("time passes to the next deadline at any moment, at most %d times", b.Ticks))
	default:
		parts = append(parts, lang.New("time passes to the next deadline when nobody who has begun can take a step, at most %d times", b.Ticks))
	}
	switch {
	case len(r.Spins) > 0 && b.Leap > 0:
		parts = append(parts, lang.New("code that does the same %d times over goes on so, and time passes meanwhile", model.SpinRounds))
	case len(r.Spins) > 0:
		parts = append(parts, lang.New("code that does the same %d times over goes on so, and time passes meanwhile, by %v where there is no deadline", model.SpinRounds, r.Config.TTL))
	}
	if b.Depth > 0 {
		parts = append(parts, lang.New("at most %d actions", b.Depth))
	}
	switch {
	case b.States > 0 && b.Unbroken > 0:
		parts = append(parts, lang.New("at most %d states, %d while nothing is violated", b.States, b.Unbroken))
	case b.States > 0:
		parts = append(parts, lang.New("at most %d states", b.States))
	}
	if r.Limit == outOfMemory { // otherwise it made no difference, and the default is the machine's
		parts = append(parts, lang.New("at most %.1f MiB of memory", float64(b.Memory)/(1<<20)))
	}
	return lang.Join("; ", parts...)
}

// faultNames writes faults with their numbers.
func faultNames(faults []history.Action) []string {
	var names []string
	for _, f := range faults {
		name := string(f.Verb)
		switch {
		case f.Verb == history.Promote:
			name += fmt.Sprintf(" missing=%d", int64(f.By))
		case f.Verb == history.Rate:
			name += fmt.Sprintf(" %g", float64(f.By)/1000)
		case f.By != 0:
			name += fmt.Sprintf(" %+v", f.By)
		}
		names = append(names, name)
	}
	return names
}

// Faults says how many actions of what was found count against the budget.
func (r *Report) Faults(f *Found) int {
	faults := 0
	for _, a := range f.Schedule {
		if r.Bounds.IsFault(a.Verb) {
			faults++
		}
	}
	return faults
}

// Code writes what was found for a table: its invariant and its steps, "ME 7", and
// its faults, if it has any: "LR 3/1".
func (r *Report) Code(f *Found) string {
	text := fmt.Sprintf("%s %d", history.Short(f.Violation.Invariant), len(f.Schedule))
	if faults := r.Faults(f); faults > 0 {
		text += fmt.Sprintf("/%d", faults)
	}
	return text
}

// Size writes the number of faults and of steps.
func Size(faults, steps int) lang.List {
	return lang.Join(", ", lang.Count(faults, "%d fault", "%d faults"), lang.Count(steps, "%d step", "%d steps"))
}

// Of returns what was found of an invariant; nil if nothing was.
func (r *Report) Of(invariant string) *Found {
	for i := range r.Found {
		if r.Found[i].Violation.Invariant == invariant {
			return &r.Found[i]
		}
	}
	return nil
}

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

// RealTime is the limit of a search that met code of a lock which did not come
// to the seam; see program.StuckError.
const RealTime = "real time"

// unlessStuck does a part of a search. Code that gets stuck on the way ends the
// search as an interrupt does.
func (e *search) unlessStuck(part func() error) error {
	err := part()
	if errors.As(err, &e.stuck) {
		e.stop()
		return nil
	}
	return err
}

// PanicIn describes the first panic among events; nothing if there is none.
func PanicIn(list []history.Event) lang.Message {
	for _, e := range list {
		if e.Kind == history.Panic {
			text := lang.New("client %s panicked: %s", e.Client, e.Text)
			if e.Source != "" {
				text = lang.New("%v at %s", text, e.Source)
			}
			return text
		}
	}
	return lang.Message{}
}
