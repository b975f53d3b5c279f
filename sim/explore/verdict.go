package explore

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"lockstep/sim/history"
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

// Counts says how often something happened, over all transitions of an
// exploration. A proof in which a thing never happened says nothing of it.
type Counts struct {
	Enters  int // of the critical section
	Refused int // acquisitions, or conditional writes without a lock
	Expired int // the lock's key, at its TTL
	Nested  int // acquisitions by a client that holds the lock
	Scripts int // EVALSHA
	Clocks  int // readings of a client's clock
	Leaps   int // of time, past a lease that no key's TTL tells of
	Faults  map[history.Verb]int
}

// add adds what is counted n times over.
func (c *Counts) add(d Counts, n int) {
	c.Enters += n * d.Enters
	c.Refused += n * d.Refused
	c.Expired += n * d.Expired
	c.Nested += n * d.Nested
	c.Scripts += n * d.Scripts
	c.Clocks += n * d.Clocks
	c.Leaps += n * d.Leaps
	for v, times := range d.Faults {
		c.Faults[v] += n * times
	}
}

// countEvents counts what a list of events holds.
func countEvents(list []history.Event, key string) Counts {
	var c Counts
	acquiring := 0
	for _, e := range list {
		switch {
		case e.Kind == history.Resource && e.Op == history.Enter:
			c.Enters++
		case e.Kind == history.Resource && e.Op == history.Refuse, e.Outcome == history.Refused:
			c.Refused++
		case e.Kind == history.Expire && slices.ContainsFunc(e.Changes, func(ch history.Change) bool { return ch.Key == key }):
			c.Expired++
		case e.Kind == history.Read:
			c.Clocks++
		case e.Kind == history.Apply && e.Cmds[0][0] == "EVALSHA":
			c.Scripts++
		}
		// A client reads what the lock guards and then acquires again.
		if e.Kind == history.Resource && e.Op == history.ReadOp {
			acquiring++
		}
		if e.Kind == history.Invoke && e.Op == history.OpAcquire && acquiring > 0 {
			c.Nested++
		}
	}
	return c
}

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
	// did not come to the seam, and the Limit is RealTime. "" for nothing.
	Trouble    string
	Counts     Counts
	ClientRuns int // how often a client's real code ran
	NodeRuns   int // how often a real miniredis executed something
}

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

// Worst returns the gravest of what was found, in the order of
// history.Invariants; nil if nothing was found.
func (r *Report) Worst() *Found {
	if len(r.Found) == 0 {
		return nil
	}
	return &r.Found[0]
}

// Assumptions says in one line under which bounds the verdict was reached.
func (r *Report) Assumptions() string {
	b := r.Bounds
	parts := []string{r.Config.String()}
	if b.Budget > 0 {
		var names []string
		for _, f := range b.Faults {
			name := string(f.Verb)
			switch {
			case f.Verb == history.Promote:
				name += fmt.Sprintf(" missing=%d", int64(f.By))
			case f.By != 0:
				name += fmt.Sprintf(" %+v", f.By)
			}
			names = append(names, name)
		}
		parts = append(parts, fmt.Sprintf("at most %d of: %s", b.Budget, strings.Join(names, ", ")))
	} else {
		parts = append(parts, "no fault")
	}
	when := "when nobody who has begun can take a step"
	if b.Anywhere {
		when = "at any moment"
	}
	next := "to the next deadline"
	if b.Leap > 0 {
		next += fmt.Sprintf(", or by %v where there is none,", b.Leap)
	}
	parts = append(parts, fmt.Sprintf("time passes %s %s, at most %d times", next, when, b.Ticks))
	if b.Depth > 0 {
		parts = append(parts, fmt.Sprintf("at most %d actions", b.Depth))
	}
	if b.States > 0 {
		parts = append(parts, fmt.Sprintf("at most %d states", b.States))
	}
	if r.Limit == outOfMemory { // otherwise it made no difference, and the default is the machine's
		parts = append(parts, fmt.Sprintf("at most %.1f MiB of memory", float64(b.Memory)/(1<<20)))
	}
	return strings.Join(parts, "; ")
}

// Check explores a lock under a hazard.
func Check(ctx context.Context, h Hazard, l Lock, o Options, clients ...string) (Report, error) {
	r, err := Explore(ctx, h.Config(l, clients...), l.Subject, h.Bounds, o)
	r.Hazard = h.ID
	return r, err
}
