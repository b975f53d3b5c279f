// Package fuzz plays real worlds at random, where there are too many schedules
// to explore. It proves nothing if it finds nothing.
//
// Hunt (hunt.go, run.go) plays worlds within the bounds of a hazard of package
// explore; merge.go is about hunts in parts. pick.go and pct.go pick the next action of a run;
// play.go judges it. shrink.go shortens a counterexample and compares it with
// an exploration.
package fuzz

import (
	"cmp"
	"context"
	"errors"

	"lockstep/internal/lang"
	"lockstep/sim/explore"
	"lockstep/sim/history"
	"lockstep/sim/program"
)

// Options are the options of a hunt.
type Options struct {
	BugDepth int    // how many orders between actions a bug needs
	Seed     uint64 // with a run's number, it determines the run's random choices
	Runs     int
	Jobs     int // parallel runs; they do not change the report
	// First ends the hunt after the batch of runs in which one violates an invariant. The
	// limit of the report is then explore.FirstViolation.
	First bool
	// States limits the exploration that may prove a counterexample shortest; 0
	// means none. Memory limits it in bytes; 0 means no limit.
	States, Memory int
	// Contract is that of explore.Options.
	Contract explore.Contract
	// Progress, if not nil, is called after each run with the number of
	// finished runs and of violated invariants. Calls never overlap.
	Progress func(done, found int)

	measuring int // replaces the constant, unless it is 0; for tests
}

// Asked is what is asked for, with nothing played.
func (o Options) Asked() *explore.Hunted {
	return &explore.Hunted{BugDepth: o.BugDepth, Seed: o.Seed, Asked: o.Runs}
}

// defaultSteps ends a run if Bounds.Depth does not: a client may poll forever.
const defaultSteps = 1000

// A setup is where runs are played.
type setup struct {
	ctx     context.Context
	config  history.Config
	subject program.Subject
	bounds  explore.Bounds
	// contract is Options.Contract.
	contract explore.Contract
}

// Bound returns the minimum probability with which the runs of a hunt find a bug of the
// requested depth, if one shows within the first Promise.Choices of a run. ok
// is false if there is no such bound, because no run draws its choices.
func Bound(h *explore.Hunted) (p float64, ok bool) {
	if h.Promise.Runs == 0 {
		return 0, false
	}
	return pctBound(h.Promise.Actors, h.Promise.Choices, h.BugDepth, h.Promise.Runs), true
}

// Hunt plays random runs of real worlds within bounds. It reports, for each
// invariant, the cheapest schedule that violates it (fewest faults, then fewest
// steps), shortened if possible. It proves nothing if it finds nothing.
//
// The report has a Hunted, and its Limit is runs, interrupt, RealTime or
// explore.FirstViolation, so that its verdict never passes. States is 0, Transitions are the
// actions of all runs, Depth is the longest run's, and Counts are over all runs.
//
// The report is a function of the arguments, except for an interrupt: when ctx
// ends, no run begins, and Report.Limit is interrupt. The end of each run
// decides lock-recovers by fair running; see world.Recovers. Hunt ignores
// Bounds.States and Bounds.Memory. A run ends after Bounds.Depth actions (1000
// if it is 0). An error is about the options, or a world that could not be
// played.
func Hunt(ctx context.Context, config history.Config, subject program.Subject, b explore.Bounds, o Options) (explore.Report, error) {
	r, err := Part(ctx, config, subject, b, o, 0, o.Runs)
	if err != nil {
		return r, err
	}
	return Merge(ctx, subject, o, []explore.Report{r})
}

// Part plays the runs of a hunt with numbers from from to below to, for Merge: the
// counterexamples of its report are not shortened. The report depends on nothing
// but the arguments, so a Part can be played on another machine than the others,
// and again. It first plays the runs that measure the world; see measuring.
func Part(ctx context.Context, config history.Config, subject program.Subject, b explore.Bounds, o Options, from, to int) (r explore.Report, err error) {
	switch {
	case o.Runs < 1:
		return r, lang.Errorf("hunt: %d runs; use at least 1", o.Runs)
	case o.BugDepth < 1:
		return r, lang.Errorf("hunt: bugs of depth %d; use at least 1", o.BugDepth)
	case from < 0 || to < from || to > o.Runs:
		return r, lang.Errorf("hunt: no runs from %d to %d; there are %d", from, to, o.Runs)
	}
	if b.Depth == 0 {
		b.Depth = defaultSteps
	}
	b.States, b.Memory = 0, 0
	h := &hunt{setup: setup{ctx, config, subject, b, o.Contract}, options: o, from: from, to: to, known: map[string]bool{}}
	h.report = explore.Report{Config: config, Server: subject.Server, Bounds: b, Limit: explore.OutOfRuns, Hunt: o.Asked()}
	h.report.Counts.Faults = map[history.Verb]int{}
	if err := h.hunt(); err != nil {
		return r, err
	}
	return h.report, nil
}

// A hunt is the state of a Part or of a Merge.
type hunt struct {
	setup
	options  Options
	from, to int
	choices  int             // the most of a measuring run before the current batch
	known    map[string]bool // the invariants that any run violated, for Progress
	report   explore.Report
}

// maxBatch is the number of runs that share the knowledge from earlier runs. It
// is constant, so that Jobs makes no difference.
const maxBatch = 256

// measuring is how many runs measure the world for all that follow: a run draws
// its changes of priority among as many choices as the longest of these had that
// was played before its batch. It is constant, so that whoever plays a Part can
// play them too. A hunt of fewer runs measures until its end.
const measuring = 1024

func (h *hunt) hunt() error {
	measured := cmp.Or(h.options.measuring, measuring)
	first := 0
	for first < h.to {
		end := min(first+min(max(1, first), maxBatch), h.to)
		if first < measured {
			end = min(end, measured)
		} else if first < h.from {
			first, end = h.from, min(h.from+maxBatch, h.to)
		}
		runs, err := h.batch(first, end-first)
		var stuck *program.StuckError
		if err != nil && !errors.As(err, &stuck) {
			return err
		}
		h.promise(first, first+len(runs))
		for i := range runs {
			if first+i < measured {
				h.choices = max(h.choices, runs[i].Hunt.Promise.Longest)
			}
			if first+i >= h.from {
				and(&h.report, &runs[i])
			}
		}
		if stuck != nil {
			h.report.Limit, h.report.Trouble = explore.RealTime, lang.New("%v", stuck)
			return nil
		}
		first += len(runs)
		switch {
		case first >= h.to:
		case h.ctx.Err() != nil:
			h.report.Limit = explore.Interrupt
			return nil
		case h.options.First && len(h.report.Found) > 0:
			h.report.Limit = explore.FirstViolation
			return nil
		}
	}
	return nil
}

// promise records among how many choices the runs of a batch drew their changes of
// priority. The first run draws none.
func (h *hunt) promise(first, end int) {
	if runs := end - max(first, h.from, 1); runs > 0 {
		promise(&h.report.Hunt.Promise, explore.Promise{Choices: h.choices, Runs: runs})
	}
}
