package explore

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"lockstep/internal/lang"
	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/model"
	"lockstep/sim/program"
)

// A Report is the result of an exploration.
type Report struct {
	Hazard      string
	Config      history.Config
	Server      sim.ServerKind
	Bounds      Bounds
	Found       []Found // in the order of history.Invariants
	States      int     // distinct states that were reached
	Transitions int
	Depth       int // of the deepest state
	Bytes       int // of the states
	// Limit is what cut the exploration short; "" if every state within the
	// bounds was reached and judged.
	Limit string
	// Trouble is that the lock's code did not reach the seam, and the Limit is RealTime. It
	// may be empty.
	Trouble lang.Message `json:",omitzero"`
	Spins   []model.Spin // code that was taken to spin, one per client
	Counts  Counts
	// How often a client's real code was started and a real miniredis executed
	// a command, to learn what was not known.
	ClientRuns, NodeRuns int
	Merging              Merging
	Drawing              int `json:",omitempty"` // after so many observations code does one thing or another
	// Since is when the report was made, if it is from a Shelf; zero if by this search.
	Since time.Time
	// Polls is after how many equal rounds code that polls was taken to have no other timer; 0 if
	// none did.
	Polls int     `json:",omitempty"`
	Hunt  *Hunted `json:",omitempty"` // nil if it was none
}

// A Hunted is what the report of a hunt has besides; see package fuzz.
type Hunted struct {
	BugDepth  int     `json:"-"` // BugDepth, Seed and Asked are what was asked for
	Seed      uint64  `json:"-"`
	Asked     int     `json:"-"`         // runs
	Runs      int     `json:"runs"`      // without gaps, from run 0
	Fewest    int     `json:"fewest"`    // actions of the shortest run
	Cut       int     `json:"cut"`       // runs that Bounds.Depth or a world's maximum length ended
	Undecided int     `json:"undecided"` // runs at whose end lock-recovers is undecided
	Promise   Promise `json:"promise"`
}

// A Hit is in which runs of a hunt an invariant was violated.
type Hit struct {
	Runs  int `json:"runs"`      // how many
	First int `json:"first_run"` // the first of them
}

// A Promise is the basis of the guarantee for the latest runs; see the pct of package fuzz.
type Promise struct {
	Actors  int `json:"actors"`  // n: the most actors that could act in any run
	Choices int `json:"choices"` // k: runs draw their changes of priority among so many choices
	Longest int `json:"longest"` // the most choices of any run; no priority changes after k
	Runs    int `json:"runs"`    // the runs that drew among k choices
}

// A Spin is code that was taken to spin.
type Spin = model.Spin

// A Merging is what a search took to be equal.
type Merging = model.Merging

// The values of Report.Limit.
const (
	OutOfStates    = "states"
	OutOfMemory    = "memory"
	OutOfDepth     = "depth"
	OutOfRuns      = "runs"                // of a hunt
	Unrecovered    = "recovery"            // lock-recovers is undecided
	FirstViolation = "the first violation" // no failure, if the caller asked for no more
	Interrupt      = "interrupt"           // the caller ended it
	// RealTime means that a lock's code did not reach the seam (see program.StuckError), or
	// that the time of a trial was over.
	RealTime = "real time"
)

// The same for the translations.
var _ = []lang.Word{"states", "memory", "depth", "interrupt", "real time", "recovery", "runs", "the first violation"}

// A Found is a violated invariant with a counterexample of the fewest faults,
// then the fewest actions.
type Found struct {
	Violation history.Violation
	Schedule  history.Schedule
	// Shortest means that no schedule with fewer faults, or as many and fewer
	// actions, violates it. It is set only if the search has proven it.
	Shortest bool
	// Point is the number of actions after which every ending within the bounds
	// has the violation; -1 if all have from the start, 0 if it is unknown.
	Point int
	// Allowed is why the lock's contract does not exclude the violation; "" if it does, or if
	// there is no contract.
	Allowed lang.Word `json:",omitempty"`
	Hit     Hit       `json:",omitzero"` // of a hunt
}

// sameFindings reports whether both have the same verdict, and counterexamples of
// the same sizes.
func (r *Report) sameFindings(other *Report) bool {
	v, _ := r.Verdict()
	w, _ := other.Verdict()
	return v == w && slices.EqualFunc(r.Found, other.Found, func(a, b Found) bool {
		return a.Violation.Invariant == b.Violation.Invariant && len(a.Schedule) == len(b.Schedule) && r.Faults(&a) == other.Faults(&b)
	})
}

// First returns the first Found in the order of history.Invariants; nil if
// there is none.
func (r *Report) First() *Found {
	if len(r.Found) == 0 {
		return nil
	}
	return &r.Found[0]
}

// Worst returns the Found of the gravest harm that the lock's contract excludes, and of those
// the one with the fewest faults and then the fewest actions; nil if there is none.
func (r *Report) Worst() (worst *Found) {
	for i := range r.Found {
		f := &r.Found[i]
		if f.Allowed == "" && (worst == nil || slices.Compare(r.Gravity(f), r.Gravity(worst)) < 0) {
			worst = f
		}
	}
	return worst
}

// Gravity orders counterexamples, the worst first, also those of several reports.
func (r *Report) Gravity(f *Found) []int {
	return []int{slices.Index(history.Harms(), history.HarmOf(f.Violation.Invariant)), r.Faults(f), len(f.Schedule)}
}

// Assumptions returns the bounds of the verdict in one line.
func (r *Report) Assumptions() lang.List { return r.Assuming(r.Config) }

// Assuming are the assumptions, with the world in words of the caller.
func (r *Report) Assuming(world any) lang.List {
	b := r.Bounds
	parts := []any{world}
	if b.Budget > 0 {
		parts = append(parts, lang.New("at most %d of: %s", b.Budget, lang.Items(faultNames(b.Faults)...)))
	} else {
		parts = append(parts, lang.New("no fault"))
	}
	switch {
	case b.Leap > 0 && b.Anywhere:
		parts = append(parts, lang.New("time passes to the next deadline, or by %v where there is none, at any moment, at most %d times", b.Leap, b.Ticks))
	case b.Leap > 0:
		parts = append(parts, lang.New("time passes to the next deadline, or by %v where there is none, when no client that has begun can take a step, at most %d times", b.Leap, b.Ticks))
	case b.Anywhere:
		parts = append(parts, lang.New("time passes to the next deadline at any moment, at most %d times", b.Ticks))
	default:
		parts = append(parts, lang.New("time passes to the next deadline when no client that has begun can take a step, at most %d times", b.Ticks))
	}
	switch {
	case len(r.Spins) > 0 && b.Leap > 0:
		parts = append(parts, lang.New("code that does the same %d times over goes on so, and time passes meanwhile", r.leastRounds()))
	case len(r.Spins) > 0:
		parts = append(parts, lang.New("code that does the same %d times over goes on so, and time passes meanwhile, by %v where there is no deadline", r.leastRounds(), r.Config.TTL))
	}
	if b.Because != "" {
		parts = append(parts, lang.New("only schedules that violate %s", b.Because))
	}
	if b.Depth > 0 {
		parts = append(parts, lang.New("at most %d actions", b.Depth))
	}
	switch {
	case b.States > 0 && b.Unbroken > 0:
		parts = append(parts, lang.New("at most %d states once something is violated, and %d until then", b.States, b.Unbroken))
	case b.States > 0:
		parts = append(parts, lang.New("at most %d states", b.States))
	}
	if r.Limit == OutOfMemory { // otherwise it made no difference, and the default depends on the machine
		parts = append(parts, lang.New("at most %.1f MiB of memory", float64(b.Memory)/(1<<20)))
	}
	if r.Merging.Ways > 0 {
		parts = append(parts, lang.New("clients act alike whatever the order of their threads was, as they did in all runs"))
	}
	if r.Polls > 0 {
		parts = append(parts, lang.New("code that does the same %d times over, and sleeps in between, has no other timer", r.Polls))
	}
	if r.Drawing > 0 {
		parts = append(parts, lang.New("after %d observations the code does one thing or another, as select does, and whatever it did in any run is explored", r.Drawing))
	}
	return lang.Join("; ", parts...)
}

// faultWords are the verbs that are faults, in English: other languages have words of
// their own for them.
var faultWords = []lang.Word{
	"crash", "hang", "pause", "jump", "rate", "lose-request", "lose-reply", "lose-push", "send", "apply", "late",
	"cut", "heal", "restart", "wipe", "down", "up", "slow", "fast", "promote", "evict", "flush", "cancel",
}

// faultNames returns the names of faults with their numbers.
func faultNames(faults []history.Action) []any {
	var names []any
	for _, f := range faults {
		var name any = lang.Word(f.Verb)
		switch {
		case f.Verb == history.Promote:
			name = lang.New("%s missing=%d", name, int64(f.By))
		case f.Verb == history.Rate:
			name = lang.New("%s %g", name, float64(f.By)/1000)
		case f.By != 0:
			name = lang.New("%s %+v", name, f.By)
		}
		names = append(names, name)
	}
	return names
}

// Faults returns the number of actions in a counterexample that count against
// the budget.
func (r *Report) Faults(f *Found) int {
	return r.Bounds.Spending(f.Schedule).Faults
}

// Code returns a Found for a table: the invariant and the number of actions, as in
// "ME 7", and the number of faults, if any, as in "LR 3/1".
func (r *Report) Code(f *Found) string {
	text := fmt.Sprintf("%s %d", history.Short(f.Violation.Invariant), len(f.Schedule))
	if faults := r.Faults(f); faults > 0 {
		text += fmt.Sprintf("/%d", faults)
	}
	return text
}

// Size returns a number of faults and of actions as text.
func Size(faults, actions int) lang.List {
	return lang.Join(", ", lang.Count(faults, "%d fault", "%d faults"), lang.Count(actions, "%d action", "%d actions"))
}

// Of returns the Found of an invariant; nil if there is none.
func (r *Report) Of(invariant string) *Found {
	for i := range r.Found {
		if r.Found[i].Violation.Invariant == invariant {
			return &r.Found[i]
		}
	}
	return nil
}

// A Verdict is the conclusion of an exploration.
type Verdict string

// The verdicts. Only Holds is a pass.
const (
	Violated     Verdict = "VIOLATED"     // a schedule violates an invariant
	Holds        Verdict = "HOLDS"        // no schedule within the bounds does
	Vacuous      Verdict = "VACUOUS"      // none does, but the hazard never happened
	Inconclusive Verdict = "INCONCLUSIVE" // none that was tried does, and a limit ended the search
)

// Verdicts lists all verdicts.
var Verdicts = []lang.Word{"VIOLATED", "HOLDS", "VACUOUS", "INCONCLUSIVE"}

// In returns the verdict in a language.
func (v Verdict) In(l lang.Language) string { return lang.Word(v).In(l) }

// Verdict returns the verdict with a reason, if there is one.
func (r *Report) Verdict() (v Verdict, reason lang.Message) {
	switch {
	case len(r.Found) > 0:
		return Violated, r.Trouble
	case !r.Trouble.None():
		return Inconclusive, r.Trouble
	}
	switch r.Limit {
	case "":
	case Interrupt:
		return Inconclusive, lang.New("ended by an interrupt")
	default:
		return Inconclusive, lang.New("ended by the limit on %v", lang.Word(r.Limit))
	}
	h, known := FindHazard(r.Hazard)
	h = h.On(program.Subject{Server: r.Server})
	// Goroutines may keep each other out before anybody asks a server.
	among := h.ID == "contention" && r.Config.Process == history.Shared
	if known && !among {
		if why := h.missing(&r.Counts); !why.None() {
			return Vacuous, why
		}
	}
	return Holds, lang.Message{}
}

// leastRounds is how often each client that spins was seen to do the same.
func (r *Report) leastRounds() int {
	return slices.MinFunc(r.Spins, func(a, b Spin) int { return cmp.Compare(a.Rounds, b.Rounds) }).Rounds
}

// unlessStuck runs a part of a search. Stuck code ends the search like an
// interrupt.
func (e *search) unlessStuck(part func() error) error {
	err := part()
	if errors.As(err, new(*program.StuckError)) {
		e.stuck = err
		e.stop()
		return nil
	}
	return err
}
