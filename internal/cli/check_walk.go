package cli

import (
	"cmp"
	"context"
	"regexp"
	"slices"

	"lockstep/internal/lang"
	"lockstep/internal/trial"
	"lockstep/sim/explore"
	"lockstep/tui/pages"
)

// openFound opens the walkthrough on the worst report, above the table of all.
// It closes by itself when the code changes.
func (a *app) openFound(ctx context.Context, all []tried, worst *trial.Report, stale <-chan struct{}) error {
	m := &pages.Matrix{}
	var at *explore.Report
	for _, t := range all {
		m.Locks = append(m.Locks, t.ID)
		for _, r := range t.reports {
			m.Known = append(m.Known, foundCell(t.ID, r))
			if r == worst {
				at = &m.Known[len(m.Known)-1]
			}
		}
	}
	m.Hazards = slices.DeleteFunc(hazardIDs(), func(id string) bool {
		return !slices.ContainsFunc(m.Known, func(c explore.Report) bool { return c.Hazard == id })
	})
	return a.open(ctx, walkOptions{Matrix: m, Cell: at, Stale: stale})
}

// foundCell is a report as a cell of a lock.
func foundCell(lock string, r *trial.Report) explore.Report {
	c := r.Explored
	c.Config.Strategy = lock // it has no configuration if the hazard was left out
	return c
}

// watch tries the locks of a package at each save and shows the shortest
// violation, until there is none or the user quits.
func (a *app) watch(ctx context.Context, name string, match *regexp.Regexp) error {
	pkg, err := trial.Find(ctx, name)
	if err != nil {
		return err
	}
	a.guestsOf = lang.Typed(name)
	for again := false; ; {
		saved, err := pkg.Saved(ctx)
		if err != nil {
			return err
		}
		end, err := a.watchOnce(ctx, pkg, match, saved, &again)
		if end {
			return err
		}
		if err == nil { // saved meanwhile
			continue
		}
		a.complain(err)
		a.say("%v", lang.New("Waiting for a save; Ctrl-C ends it."))
		if err := a.out.Flush(); err != nil {
			return err
		}
		if !saved.Wait(ctx) {
			return ctx.Err()
		}
	}
}

// watchOnce is one round of watch. It reports whether that was the last, and notes whether
// the next one is because of what has changed during this one.
func (a *app) watchOnce(ctx context.Context, pkg *trial.Package, match *regexp.Regexp, saved *trial.Saved, again *bool) (end bool, err error) {
	suite, err := a.compile(ctx, pkg, match, nil)
	if err != nil {
		return ctx.Err() != nil, err
	}
	defer suite.Close()
	all, err := a.tryAll(ctx, suite, checkFlags{}, nil) // of which the lock that runs says what it reads
	if err != nil || ctx.Err() != nil {
		return true, cmp.Or(err, ctx.Err())
	}
	*again = saved.Heed(suite.Reads(), *again)
	worst := worstOf(all, anyFound)
	if worst == nil {
		a.printAll(ctx, all)
		err := judgeTried(all)
		return err == nil, err
	}
	until, stop := context.WithCancel(ctx)
	defer stop()
	stale := make(chan struct{})
	go func() {
		if saved.Wait(until) {
			close(stale)
		}
	}()
	err = a.openFound(ctx, all, worst, stale)
	select {
	case <-stale:
		return false, err
	default:
		return true, cmp.Or(err, judgeTried(all))
	}
}
