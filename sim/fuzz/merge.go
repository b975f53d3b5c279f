package fuzz

import (
	"context"
	"slices"

	"lockstep/internal/lang"
	"lockstep/sim/explore"
	"lockstep/sim/history"
	"lockstep/sim/program"
)

// Merge returns the report of a hunt whose Parts these are, all of them and in the
// order of their runs. It shortens the counterexamples; of the options, only Jobs,
// States and Memory count. A part that a limit or an interrupt ended is the last
// that counts, since the hunt would have ended there.
func Merge(ctx context.Context, subject program.Subject, o Options, parts []Report) (Report, error) {
	if len(parts) == 0 {
		return Report{}, lang.Errorf("hunt: no parts to merge")
	}
	sum := parts[0]
	sum.Counts.Faults = map[history.Verb]int{}
	sum.Counts.Add(explore.Counts{Faults: parts[0].Counts.Faults}, 1) // the caller's stays as it is
	sum.Found, sum.Hits = slices.Clone(sum.Found), slices.Clone(sum.Hits)
	for i := 1; i < len(parts) && sum.Limit == "runs"; i++ {
		sum.and(&parts[i])
	}
	h := &finisher{config: sum.Config, subject: subject, bounds: sum.Bounds, options: o, report: sum}
	return h.finish(ctx)
}

// and adds the report of the runs that follow.
func (r *Report) and(next *Report) {
	if next.Runs > 0 && (r.Runs == 0 || next.Fewest < r.Fewest) {
		r.Fewest = next.Fewest
	}
	r.Runs += next.Runs
	r.Transitions += next.Transitions
	r.Depth = max(r.Depth, next.Depth)
	r.Cut += next.Cut
	r.Undecided += next.Undecided
	r.Counts.Add(next.Counts, 1)
	r.Promise.and(next.Promise)
	if r.Limit = next.Limit; r.Trouble.None() || next.Limit == explore.RealTime {
		r.Trouble = next.Trouble
	}
	for i, f := range next.Found {
		at, known := slices.BinarySearchFunc(r.Found, f, byInvariant)
		if !known {
			r.Found, r.Hits = slices.Insert(r.Found, at, f), slices.Insert(r.Hits, at, next.Hits[i])
			continue
		}
		r.Hits[at].Runs += next.Hits[i].Runs
		if cheaper(r.Bounds, f.Schedule, r.Found[at].Schedule) {
			r.Found[at] = f
		}
	}
}

// and adds what the runs that follow promise.
func (p *Promise) and(next Promise) {
	p.Actors, p.Longest = max(p.Actors, next.Actors), max(p.Longest, next.Longest)
	switch {
	case next.Runs == 0:
	case p.Choices != next.Choices:
		p.Choices, p.Runs = next.Choices, next.Runs
	default:
		p.Runs += next.Runs
	}
}

func byInvariant(a, b explore.Found) int {
	return slices.Index(history.Invariants(), a.Violation.Invariant) - slices.Index(history.Invariants(), b.Violation.Invariant)
}

// A finisher makes the report of a hunt of what all runs found.
type finisher struct {
	config  history.Config
	subject program.Subject
	bounds  explore.Bounds
	options Options
	report  Report
}

// finish shortens the counterexamples and, if asked, proves them shortest.
func (h *finisher) finish(ctx context.Context) (Report, error) {
	for i := range h.report.Found {
		f := &h.report.Found[i]
		h.report.Hits[i].Steps = len(f.Schedule)
		short, err := shrink(ctx, h.config, h.subject, h.bounds, *f)
		if err != nil {
			return Report{}, lang.Errorf("%s: %w", f.Violation.Invariant, err)
		}
		*f = short
	}
	if h.options.States == 0 || len(h.report.Found) == 0 {
		return h.report, nil
	}
	return h.report, h.proveShortest(ctx)
}
