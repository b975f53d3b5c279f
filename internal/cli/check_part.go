package cli

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"lockstep/internal/cache"
	"lockstep/internal/lang"
	"lockstep/internal/pieces"
	"lockstep/internal/trial"
)

// checkJob is the work of a check.
func (a *app) checkJob(suite *trial.Suite, f checkFlags) pieces.Job {
	job := pieces.Job{What: pieces.Check, Ticks: -1, Faults: -1, Exact: f.exact}
	applies := map[string]bool{}
	for _, l := range suite.Locks {
		job.Locks = append(job.Locks, l.ID)
		for _, h := range l.Plan.Under() {
			applies[h.ID] = true
		}
	}
	job.Hazards = slices.DeleteFunc(hazardIDs(), func(id string) bool { return !applies[id] })
	return job
}

// tryIn returns what tries a lock of a package under one hazard, for a part of a check. A
// hazard that does not apply to the lock has no answers.
func (a *app) tryIn(suite *trial.Suite, exact bool) func(ctx context.Context, v *cache.Verdicts, lock, hazard string) error {
	return func(ctx context.Context, v *cache.Verdicts, lock, hazard string) error {
		l := suite.Find(lock)
		if l == nil {
			return lang.Errorf("%s is not among the locks of the package", lock)
		}
		defer a.turns.take(suite, []string{lock})()
		asked := *l
		asked.Plan.Exact = exact
		t := a.newTrial(ctx, &asked, true, v)
		defer t.Close()
		for _, h := range l.Plan.Under() {
			if h.ID == hazard || h.ID == trial.Contention { // which the others go on from
				t.Try(ctx, h)
			}
		}
		return t.Unready
	}
}

// checkQueued has workers try the locks of packages, each hazard of a lock a part.
func (a *app) checkQueued(cmd *cobra.Command, packages []openedPackage, f checkFlags) error {
	var spreads []*spread
	for _, p := range packages {
		if p.err != nil {
			continue
		}
		s, err := newSpread(a.checkJob(p.Suite, f), p.Suite)
		if err != nil {
			return err
		}
		spreads = append(spreads, s)
	}
	if len(spreads) == 0 {
		return nil
	}
	wholes, err := a.runQueued(cmd, f.queueFlags, spreads, f.first)
	for i := range packages {
		if err == nil && packages[i].err == nil {
			packages[i].done, wholes = wholes[0], wholes[1:]
		}
	}
	return err
}
