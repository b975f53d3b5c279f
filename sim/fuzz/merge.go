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
// order of their runs. It shortens the counterexamples; of the options, First and Progress
// do not count. A part that a limit or an interrupt ended is the last
// that counts, since the hunt would have ended there.
func Merge(ctx context.Context, subject program.Subject, o Options, parts []explore.Report) (explore.Report, error) {
	if len(parts) == 0 {
		return explore.Report{}, lang.Errorf("hunt: no parts to merge")
	}
	sum, hunted := parts[0], *parts[0].Hunt // the caller's stay as they are
	sum.Counts.Faults = map[history.Verb]int{}
	sum.Counts.Add(explore.Counts{Faults: parts[0].Counts.Faults}, 1)
	sum.Found = slices.Clone(sum.Found)
	hunted.BugDepth, hunted.Seed, hunted.Asked = o.BugDepth, o.Seed, o.Runs
	sum.Hunt = &hunted
	for i := 1; i < len(parts) && sum.Limit == explore.OutOfRuns; i++ {
		and(&sum, &parts[i])
	}
	h := &hunt{setup: setup{ctx, sum.Config, subject, sum.Bounds, o.Contract}, options: o, report: sum}
	return h.finish()
}

// and adds the report of the runs that follow.
func and(r, next *explore.Report) {
	h, more := r.Hunt, next.Hunt
	if more.Runs > 0 && (h.Runs == 0 || more.Fewest < h.Fewest) {
		h.Fewest = more.Fewest
	}
	h.Runs += more.Runs
	r.Transitions += next.Transitions
	r.Depth = max(r.Depth, next.Depth)
	h.Cut += more.Cut
	h.Undecided += more.Undecided
	r.Counts.Add(next.Counts, 1)
	promise(&h.Promise, more.Promise)
	if r.Limit = next.Limit; r.Trouble.None() || next.Limit == explore.RealTime {
		r.Trouble = next.Trouble
	}
	for _, f := range next.Found {
		at, known := slices.BinarySearchFunc(r.Found, f, explore.ByInvariant)
		if !known {
			r.Found = slices.Insert(r.Found, at, f)
			continue
		}
		first := &r.Found[at]
		first.Hit.Runs += f.Hit.Runs
		if cheaper(r.Bounds, f.Schedule, first.Schedule) {
			replace(first, f)
		}
	}
}

// replace puts a cheaper counterexample in the place of one, whose runs still count.
func replace(f *explore.Found, cheaper explore.Found) {
	cheaper.Hit = f.Hit
	*f = cheaper
}

// promise adds what the runs that follow promise.
func promise(p *explore.Promise, next explore.Promise) {
	p.Actors, p.Longest = max(p.Actors, next.Actors), max(p.Longest, next.Longest)
	switch {
	case next.Runs == 0:
	case p.Choices != next.Choices:
		p.Choices, p.Runs = next.Choices, next.Runs
	default:
		p.Runs += next.Runs
	}
}

// finish shortens the counterexamples and, if asked, proves them shortest.
func (h *hunt) finish() (explore.Report, error) {
	for i := range h.report.Found {
		f := &h.report.Found[i]
		short, err := h.shrink(*f)
		if err != nil {
			return explore.Report{}, lang.Errorf("%s: %w", f.Violation.Invariant, err)
		}
		replace(f, short)
	}
	if h.options.States == 0 || len(h.report.Found) == 0 {
		return h.report, nil
	}
	return h.report, h.proveShortest()
}
