// Package fuzz plays real worlds at random, where there are too many schedules
// to explore. It proves nothing if it finds nothing.
//
// Hunt (hunt.go, run.go) plays worlds within the bounds of a hazard of package
// explore. pct.go and pick.go pick the next action and the faults of a run;
// play.go judges it. shrink.go shortens a counterexample and compares it with
// an exploration.
package fuzz

import (
	"context"
	"errors"
	"slices"

	"lockstep/internal/lang"
	"lockstep/sim/explore"
	"lockstep/sim/history"
	"lockstep/sim/program"
)

// Options are the options of a hunt.
type Options struct {
	Pick     Picking
	BugDepth int    // of PCT: how many orders between actions a bug needs
	Seed     uint64 // with a run's number, it determines the run's random choices
	Runs     int
	Jobs     int  // parallel runs; they do not change the report
	Swarm    bool // each run has a random part of the faults and of the budget
	// States limits the exploration that may prove a counterexample shortest; 0
	// means none. Memory limits it in bytes; 0 means no limit.
	States, Memory int
	// Progress, if not nil, is called after each run with the number of
	// finished runs and of violated invariants. Calls never overlap.
	Progress func(done, found int)
}

// defaultSteps ends a run if Bounds.Depth does not: a client may poll forever.
const defaultSteps = 1000

// A Report is the result of a hunt. It is an explore.Report whose Limit is
// runs, interrupt or RealTime, so that its verdict never passes. States is 0,
// Transitions are the actions of all runs, Depth is the longest run's, and
// Counts are over all runs.
type Report struct {
	explore.Report
	Options   Options // without Jobs and Progress
	Runs      int     // without gaps, from run 0
	Hits      []Hit   // parallel to Found
	Fewest    int     // actions of the shortest run
	Cut       int     // runs that Bounds.Depth or a world's maximum length ended
	Undecided int     // runs at whose end lock-recovers is undecided
	Promise   Promise
}

// A Hit is how often an invariant was violated.
type Hit struct {
	First int // the first such run
	Runs  int
	Steps int // of the shortest schedule, before shrinking
}

// A Promise is the basis of PCT's guarantee for the latest runs; see pct.
type Promise struct {
	Actors  int // n: the most actors that could act in any run
	Choices int // k: runs draw their changes of priority among so many choices
	Longest int // the most choices of any run; no priority changes after k
	Runs    int // the runs that drew among k choices
}

// Bound returns the minimum probability with which these runs find a bug of the
// requested depth, if one shows within the first Promise.Choices of a run. ok
// is false if there is no such bound: for other Pickings, and with Swarm.
func (r *Report) Bound() (p float64, ok bool) {
	if r.Options.Pick != PCT || r.Options.Swarm || r.Promise.Runs == 0 {
		return 0, false
	}
	return PCTBound(r.Promise.Actors, r.Promise.Choices, r.Options.BugDepth, r.Promise.Runs), true
}

// Hunt plays random runs of real worlds within bounds. It reports, for each
// invariant, the cheapest schedule that violates it (fewest faults, then fewest
// steps), shortened if possible. It proves nothing if it finds nothing.
//
// The report is a function of the arguments, except for an interrupt: when ctx
// ends, no run begins, and Report.Limit is interrupt. The end of each run
// decides lock-recovers by fair running; see world.Recovers. Hunt ignores
// Bounds.States and Bounds.Memory. A run ends after Bounds.Depth actions (1000
// if it is 0). An error is about the options, or a world that could not be
// played.
func Hunt(ctx context.Context, config history.Config, subject program.Subject, b explore.Bounds, o Options) (Report, error) {
	if err := o.check(); err != nil {
		return Report{}, err
	}
	if b.Depth == 0 {
		b.Depth = defaultSteps
	}
	b.States, b.Memory = 0, 0
	h := &hunt{config: config, subject: subject, bounds: b, options: o, best: map[string]*tally{}, known: map[string]bool{}}
	h.report = Report{Report: explore.Report{Config: config, Bounds: b, Limit: "runs"}, Options: o}
	h.report.Options.Jobs, h.report.Options.Progress = 0, nil
	h.report.Counts.Faults = map[history.Verb]int{}
	if err := h.hunt(ctx); err != nil {
		return Report{}, err
	}
	return h.finish(ctx)
}

// A hunt is the state of a hunt.
type hunt struct {
	config  history.Config
	subject program.Subject
	bounds  explore.Bounds
	options Options
	gauge   gauge // of all runs before the current batch
	best    map[string]*tally
	known   map[string]bool // the invariants that any run violated, for Progress
	report  Report
}

// A tally is the cheapest schedule that violates an invariant, and the number
// of violations.
type tally struct {
	explore.Found
	Hit
}

// maxBatch is the number of runs that share the knowledge from earlier runs. It
// is constant, so that Jobs makes no difference.
const maxBatch = 256

func (h *hunt) hunt(ctx context.Context) error {
	for h.report.Runs < h.options.Runs {
		first := h.report.Runs
		runs, err := h.batch(ctx, first, min(max(1, first), maxBatch, h.options.Runs-first))
		var stuck *program.StuckError
		if err != nil && !errors.As(err, &stuck) {
			return err
		}
		h.promise(first, len(runs))
		for i := range runs {
			h.reduce(first+i, &runs[i])
		}
		if stuck != nil {
			h.report.Limit, h.report.Trouble = explore.RealTime, lang.New("%v", stuck)
			return nil
		}
		if ctx.Err() != nil && h.report.Runs < h.options.Runs {
			h.report.Limit = "interrupt"
			return nil
		}
	}
	return nil
}

// promise records among how many choices a batch drew its changes of priority.
// The first run draws none.
func (h *hunt) promise(first, runs int) {
	p := &h.report.Promise
	switch {
	case first == 0:
	case p.Choices != h.gauge.choices:
		p.Choices, p.Runs = h.gauge.choices, runs
	default:
		p.Runs += runs
	}
}

// reduce adds a run to the report. Calls are in the order of the runs.
func (h *hunt) reduce(n int, r *run) {
	h.gauge.widen(r.gauge)
	out := &h.report
	out.Promise.Actors, out.Promise.Longest = h.gauge.actors, h.gauge.choices
	out.Runs++
	out.Transitions += r.actions
	out.Depth = max(out.Depth, r.actions)
	if n == 0 || r.actions < out.Fewest {
		out.Fewest = r.actions
	}
	if r.cut {
		out.Cut++
	}
	if r.undecided {
		out.Undecided++
	}
	out.Counts.Add(r.counts, 1)
	if out.Trouble.None() {
		out.Trouble = r.panicked
	}
	for _, f := range r.found {
		h.record(n, f)
	}
}

// record records a violation. Among equally cheap schedules it keeps the first
// run's.
func (h *hunt) record(n int, f explore.Found) {
	q, known := h.best[f.Violation.Invariant]
	if !known {
		q = &tally{Found: f, Hit: Hit{First: n}}
		h.best[f.Violation.Invariant] = q
	}
	q.Runs++
	if cheaper(h.bounds, f.Schedule, q.Schedule) {
		q.Found = f
	}
}

// finish shortens the counterexamples and adds them to the report.
func (h *hunt) finish(ctx context.Context) (Report, error) {
	for _, id := range history.Invariants() {
		q, known := h.best[id]
		if !known {
			continue
		}
		q.Steps = len(q.Schedule)
		f, err := shrink(ctx, h.config, h.subject, h.bounds, q.Found)
		if err != nil {
			return Report{}, lang.Errorf("%s: %w", id, err)
		}
		h.report.Found = append(h.report.Found, f)
		h.report.Hits = append(h.report.Hits, q.Hit)
	}
	h.report.Found = slices.Clip(h.report.Found)
	if h.options.States == 0 || len(h.report.Found) == 0 {
		return h.report, nil
	}
	return h.report, h.proveShortest(ctx)
}
