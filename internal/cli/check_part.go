package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"

	"github.com/spf13/cobra"

	"lockstep/internal/lang"
	"lockstep/internal/pieces"
	"lockstep/internal/trial"
	"lockstep/scenarios"
	"lockstep/sim/explore"
	"lockstep/sim/history"
)

// A checkedCell is one lock under one hazard in a part of a check.
type checkedCell struct {
	trial.Report
	Trouble lang.Message `json:"trouble,omitzero"` // of the exploration behind it
	Facts   trial.Facts  `json:"facts,omitzero"`
	Sources []string     `json:"sources,omitempty"` // the lines of what was found, in that order
}

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
	for _, h := range explore.Hazards() {
		if applies[h.ID] {
			job.Hazards = append(job.Hazards, h.ID)
		}
	}
	return job
}

// tryIn tries locks of a package, for a part.
func (a *app) tryIn(suite *trial.Suite, exact bool) func(ctx context.Context, lock, hazard string) (json.RawMessage, error) {
	return func(ctx context.Context, lock, hazard string) (json.RawMessage, error) {
		l := suite.Find(lock)
		if l == nil {
			return nil, lang.Errorf("%s is not among the locks of the package", lock)
		}
		defer a.turns.take(suite, []string{lock})()
		asked := *l
		asked.Plan.Exact = exact
		return a.tryCell(ctx, &asked, hazard)
	}
}

// checkPart tries some of the locks of a package under some of their hazards.
func (a *app) checkPart(cmd *cobra.Command, suite *trial.Suite, f checkFlags) error {
	m := pieces.Machine{Memory: int(memoryFlag()), Try: a.tryIn(suite, f.exact)}
	return a.runPart(cmd, f.partFlags, a.checkJob(suite, f), m)
}

// checkQueued has workers try the locks of packages, each hazard of a lock a part.
func (a *app) checkQueued(cmd *cobra.Command, suites []*trial.Suite, f checkFlags) ([]*pieces.Whole, error) {
	var spreads []*spread
	for _, suite := range suites {
		job := a.checkJob(suite, f)
		s, err := newSpread(job, suite, len(job.Locks)*len(job.Hazards))
		if err != nil {
			return nil, err
		}
		spreads = append(spreads, s)
	}
	return a.runQueued(cmd, f.queueFlags, spreads, f.first)
}

// tryCell tries a lock under a hazard as if that were the only one. It is null if the
// hazard is not among the lock's.
func (a *app) tryCell(ctx context.Context, l *trial.Lock, hazard string) (json.RawMessage, error) {
	under := l.Plan.Under()
	i := slices.IndexFunc(under, func(h explore.Hazard) bool { return h.ID == hazard })
	if i < 0 {
		return json.RawMessage("null"), nil
	}
	t, err := a.newTrial(ctx, l, true, nil)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	t.Progress = a.exploreProgress(l.Test + ", " + hazard)
	r := t.Try(ctx, under[i])
	if t.Unready() != nil {
		return nil, t.Unready()
	}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	cell := checkedCell{*r, r.Explored.Trouble, r.Facts, nil}
	for _, f := range r.Found {
		cell.Sources = append(cell.Sources, f.Source)
	}
	err = enc.Encode(cell)
	return bytes.TrimSpace(text.Bytes()), err
}

// playChecked plays the counterexamples of a cell again.
func playChecked(ctx context.Context, text json.RawMessage) error {
	var c *checkedCell // null where the hazard is not among the lock's
	if err := json.Unmarshal(text, &c); err != nil || c == nil {
		return err
	}
	for i := range c.Found {
		f := &c.Found[i]
		config, schedule, err := history.ParseToken(f.Token)
		if err != nil {
			return err
		}
		run, err := scenarios.Replay(ctx, config, schedule)
		if err != nil {
			return err
		}
		if _, violated := run.Violation(f.Invariant); !violated {
			return lang.Errorf("%s, %s: its counterexample, played again, does not violate %s", config.Strategy, c.Hazard, f.Invariant)
		}
	}
	return nil
}

// mergeCheck prints the reports of a check that was done in parts.
func (a *app) mergeCheck(cmd *cobra.Command, w *pieces.Whole, f mergeFlags) error {
	all, err := a.triedIn(cmd.Context(), w, a.suite, f.json)
	if err != nil {
		return err
	}
	if !f.json {
		a.printAll(cmd.Context(), all)
	}
	return judgeTried(all)
}

// triedIn returns the reports of a check that was done in parts, and prints them if asked
// to as lines of JSON.
func (a *app) triedIn(ctx context.Context, w *pieces.Whole, suite *trial.Suite, asJSON bool) (all []tried, err error) {
	for _, id := range w.Job.Locks {
		l := suite.Find(id)
		if l == nil {
			return nil, lang.Errorf("%s is not among the locks that the tests of %s put under test", id, suite.Path)
		}
		t := tried{Lock: l, suite: suite}
		for _, h := range l.Plan.Under() {
			r, err := reportIn(ctx, w, id, h.ID)
			if err != nil {
				return nil, err
			}
			t.reports = append(t.reports, r)
			if asJSON {
				if err := a.checked(suite, l, r); err != nil {
					return nil, err
				}
			}
		}
		all = append(all, t)
	}
	return all, nil
}

// reportIn is the report on a lock under a hazard, its counterexamples played again.
func reportIn(ctx context.Context, w *pieces.Whole, lock, hazard string) (*trial.Report, error) {
	cell := w.Checked(lock, hazard)
	switch {
	case cell == nil && len(w.Missing) > 0:
		return leftOut(hazard), nil
	case cell == nil:
		return nil, lang.Errorf("%s, %s: no part has it", lock, hazard)
	}
	var c checkedCell
	if err := json.Unmarshal(cell.Checked, &c); err != nil || c.Hazard != hazard {
		return nil, lang.Errorf("%s, %s: it has not what a %s finds", lock, hazard, string(pieces.Check))
	}
	if err := playChecked(ctx, cell.Checked); err != nil {
		return nil, unexpected(err)
	}
	r := c.Report
	r.Facts, r.Took = c.Facts, cell.Took
	for i := range min(len(r.Found), len(c.Sources)) {
		r.Found[i].Source = c.Sources[i]
	}
	r.Explored = explore.Report{Hazard: hazard, Trouble: c.Trouble}
	return &r, nil
}

// leftOut is the report on a hazard that --first left out.
func leftOut(hazard string) *trial.Report {
	return &trial.Report{Hazard: hazard, Verdict: explore.Inconclusive, Reason: lang.New("--first ended the check").String(), Skipped: true}
}
