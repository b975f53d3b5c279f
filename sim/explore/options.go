package explore

import (
	"context"
	"errors"
	"slices"

	"lockstep/sim"
	"lockstep/sim/history"
)

// Options says how to explore. None of it makes a difference to the verdict and
// to how long the schedules are that are found.
type Options struct {
	Jobs int // workers; 0 is one
	// First ends the search with the level in which something is violated for
	// the first time: no schedule is cheaper.
	First bool
	// Symmetry makes one state of those that differ only in which client is
	// which. Verdicts and lengths stay the same; states and transitions get
	// fewer.
	Symmetry bool
	// Reduce leaves out orders of steps that nobody could tell apart. A proof
	// needs fewer states. Where something is violated, it is looked for once
	// more without, for the shortest schedules.
	Reduce bool
	// Merge makes one state of those in which a client has been told different
	// things that make no difference to what it will do. Where the clients have
	// too many ways to go on, it is not done. Report.ClientRuns tells the price.
	Merge bool
	// Progress, if there is one, is told now and then how far the search is.
	Progress func(Progress)

	pass    int  // with Merge: give up beyond that many states if anything new was heard
	trusted bool // the caller runs the clients' code a second time
}

// Progress says how far a search is.
type Progress struct {
	States, Faults, Depth int // states so far; the level that is being reached
}

// Explore visits every state within the bounds, in the order of fewest
// faults and then fewest steps, and reports the first violation of each
// invariant that it meets. When ctx is done it stops with what it has: that is
// a limit like any other.
func Explore(ctx context.Context, config history.Config, subject sim.Subject, b Bounds, o Options) (Report, error) {
	p := newParts(ctx, config, subject)
	defer p.close()
	return explore(ctx, p, b, o)
}

// explore is Explore with parts that may know something already.
func explore(ctx context.Context, p *parts, b Bounds, o Options) (Report, error) {
	clients, nodes := p.runs(), p.execs
	r, err := exploreAsAsked(ctx, p, b, o)
	r.ClientRuns, r.NodeRuns = p.runs()-clients, p.execs-nodes
	return r, err
}

func exploreAsAsked(ctx context.Context, p *parts, b Bounds, o Options) (Report, error) {
	run := exploreOnce
	if o.Merge {
		run = exploreMerged
	}
	r, err := run(ctx, p, b, o)
	switch {
	case errors.Is(err, errAsymmetric):
		o.Symmetry = false
		return exploreAsAsked(ctx, p, b, o)
	case err == nil && o.Reduce && len(r.Found) > 0:
		o.Reduce = false
		again, err := exploreAsAsked(ctx, p, b, o)
		again.keep(r.Found)
		return again, err
	}
	return r, err
}

// keep adds what was found before and not again: the search was cut short.
func (r *Report) keep(found []Found) {
	for _, f := range found {
		at, known := slices.BinarySearchFunc(r.Found, f, byInvariant)
		if !known {
			f.Shortest, f.Point = false, 0
			r.Found = slices.Insert(r.Found, at, f)
		}
	}
}

func exploreOnce(ctx context.Context, p *parts, b Bounds, o Options) (Report, error) {
	e := newSearch(ctx, p, b, o)
	defer e.stop()
	if err := e.unlessStuck(e.run); err != nil {
		return Report{}, err
	}
	if e.report.Limit == "pass" {
		if ctx.Err() == nil {
			return Report{}, nil // it begins again
		}
		e.report.Limit = "interrupt"
	}
	e.count()
	if err := e.findSchedules(); err != nil {
		return Report{}, err
	}
	if err := e.unlessStuck(e.findOrphan); err != nil {
		return Report{}, err
	}
	if !o.trusted {
		if err := e.unlessStuck(p.verify); err != nil {
			return e.report, err
		}
	}
	if e.stuck != nil {
		e.report.Limit, e.report.Trouble = RealTime, e.stuck.Error()
	}
	return e.report, nil
}
