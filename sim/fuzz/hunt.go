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

// Options say how to hunt.
type Options struct {
	Pick     Picking
	BugDepth int    // of the bugs that PCT is after: how many orders between actions bring one about
	Seed     uint64 // what is picked at random depends on it and the number of the run alone
	Runs     int
	Jobs     int  // runs at a time; the report does not depend on it
	Swarm    bool // each run has a random part of the faults and of their budget
	// States limits the exploration that afterwards may show that what was found
	// is shortest; 0 is none. So does Memory, in bytes; 0 is no limit.
	States, Memory int
	// Progress, if there is one, is told after each run how many are done and how
	// many invariants they violated. It is never called twice at a time.
	Progress func(done, found int)
}

// defaultSteps ends a run where Bounds.Depth does not: a client may poll for
// ever.
const defaultSteps = 1000

// A Report is what a hunt came to. It is an explore.Report whose Limit is never "",
// so that its verdict is never a pass: it is runs, interrupt or RealTime. States is 0,
// Transitions are the actions of all runs, Depth is that of the longest, and
// Counts are over all of them.
type Report struct {
	explore.Report
	Options   Options // without Jobs and Progress
	Runs      int     // how many count: those from run 0 to the first that was not done
	Hits      []Hit   // of Found, one for each
	Fewest    int     // actions of the shortest run
	Cut       int     // runs that Bounds.Depth ended
	Undecided int     // runs at whose end lock-recovers could not be decided
	Promise   Promise
}

// A Hit says how often an invariant was violated.
type Hit struct {
	First int // run
	Runs  int
	Steps int // of the shortest schedule, before it was made shorter
}

// A Promise is what the latest runs of PCT were good for; see pct.
type Promise struct {
	Actors  int // n: the most that could act at some time of any run
	Choices int // k: among so many choices of a run its changes of priority were drawn
	Longest int // the most choices of any run; nobody's priority changed beyond k
	Runs    int // that drew their changes among k choices
}

// Bound returns the least probability with which as many runs find a bug of the
// depth that was asked for, if there is one that shows within the first
// Promise.Choices of a run. There is no such bound, and ok is false, for other
// ways to pick, and where runs have only a part of the faults.
func (r *Report) Bound() (p float64, ok bool) {
	if r.Options.Pick != PCT || r.Options.Swarm || r.Promise.Runs == 0 {
		return 0, false
	}
	return PCTBound(r.Promise.Actors, r.Promise.Choices, r.Options.BugDepth, r.Promise.Runs), true
}

// Hunt plays real worlds within bounds, each from the beginning, and picks what
// happens at random. It reports the cheapest schedule that it finds to violate
// each invariant (fewest faults, then fewest steps), made shorter where that
// could be done. That nothing is found shows nothing.
//
// The report depends on its arguments and nothing else, but for an interrupt:
// when ctx is done, no more runs begin, and Report.Limit is interrupt.
// lock-recovers is decided at the end of each run, by running on fairly; see
// world.Recovers. Bounds.States and Memory are ignored; beyond Bounds.Depth actions (1000 if
// it is 0) a run is ended. An error says what is wrong with the options, or
// that a world could not be played.
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

// A hunt is one under way.
type hunt struct {
	config  history.Config
	subject program.Subject
	bounds  explore.Bounds
	options Options
	gauge   gauge // of all runs but those of the batch under way
	best    map[string]*tally
	known   map[string]bool // invariants that any run violated, for Progress
	report  Report
}

// A tally is the cheapest schedule that violates an invariant, and how often
// one was violated.
type tally struct {
	explore.Found
	Hit
}

// maxBatch is how many runs share what is known from those before. That is
// always the same, so that it makes no difference how many run at a time.
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

// promise notes among how many choices a batch has drawn changes of priority.
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

// reduce adds a run to the report. It is called in the order of the runs.
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
		h.keep(n, f)
	}
}

// keep notes that a run violates an invariant. Of equally cheap schedules the
// first run's is kept.
func (h *hunt) keep(n int, f explore.Found) {
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

// finish makes what was found shorter and files it.
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
