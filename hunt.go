package main

import (
	"fmt"
	"time"

	"lockstep/sim/explore"
	"lockstep/sim/fuzz"
)

// A huntResult is what came of a hunt, with the run of its worst schedule.
type huntResult struct {
	*exploration
	hunt fuzz.Report
}

// hunted prints what came of one hazard.
func (t *transcript) hunted(e *huntResult, f huntFlags) error {
	switch {
	case f.story:
		return nil
	case f.json:
		return t.object(e.row())
	}
	if verdict := t.verdictOf(e.exploration); verdict == explore.Violated && e.Limit == "interrupt" {
		t.fact("Cut short by the limit on", e.Limit)
	}
	for i, hit := range e.hunt.Hits {
		t.found(e.exploration, &e.Found[i])
		t.say("In runs: %d of %d, the first is run %d", hit.Runs, e.hunt.Runs, hit.First)
	}
	if e.worst != nil {
		t.worst(e.exploration, f.transcript)
	}
	t.runs(&e.hunt)
	t.fact("Over all runs", counted(&e.Report))
	t.fact("Assumptions", e.Assumptions())
	return t.out.Flush()
}

// runs prints what the runs were like, and what they are good for.
func (t *transcript) runs(r *fuzz.Report) {
	o := r.Options
	how := string(o.Pick)
	if o.Pick == fuzz.PCT {
		how += fmt.Sprintf(", bugs of depth %d", o.BugDepth)
	}
	if o.Swarm {
		how += ", swarm"
	}
	t.say("Picked by: %s, seed %d", how, o.Seed)
	t.say("Runs: %d of %d, numbered from 0", r.Runs, o.Runs)
	t.say("Actions: %d, in a run %d to %d", r.Transitions, r.Fewest, r.Depth)
	if r.Cut > 0 {
		t.say("Ended by the limit on actions: %s", many(r.Cut, "run"))
	}
	if r.Undecided > 0 {
		t.say("Not decided, lock-recovers: at the end of %s", many(r.Undecided, "run"))
	}
	t.fact("Bound", bound(r))
}

// bound says with what probability the runs find a bug.
func bound(r *fuzz.Report) string {
	p, ok := r.Bound()
	if !ok {
		return "none; only pct has one, without swarm and from the second run on"
	}
	with := r.Promise
	longest := ""
	if with.Longest > with.Choices {
		longest = fmt.Sprintf(" (the longest has %d)", with.Longest)
	}
	return fmt.Sprintf("a bug of depth %d that shows within the first %d choices of a run%s is found with probability %.3g at least: "+
		"1-(1-1/(n*k^(d-1)))^R, n=%d actors, k=%d choices, d=%d, R=%d runs",
		r.Options.BugDepth, with.Choices, longest, p, with.Actors, with.Choices, r.Options.BugDepth, with.Runs)
}

// huntProgress counts runs on stderr if somebody is there to see it. The line
// is erased in the end.
func (a *app) huntProgress(hazard string, runs int) (tell func(done, found int), erase func()) {
	if !isTerminal(a.stderr) {
		return nil, func() {}
	}
	var last time.Time
	tell = func(done, found int) {
		if now := time.Now(); done == runs || now.Sub(last) > 100*time.Millisecond {
			last = now
			_, _ = fmt.Fprintf(a.stderr, "\r%s: %d of %d runs, %d invariants violated", hazard, done, runs, found)
		}
	}
	return tell, func() { _, _ = fmt.Fprint(a.stderr, "\r\x1b[K") }
}
