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
}

// checkJob is the work of a check, and how this machine does it.
func (a *app) checkJob(suite *trial.Suite, f checkFlags) (pieces.Job, pieces.Machine) {
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
	return job, pieces.Machine{Memory: int(memoryFlag()), Try: func(ctx context.Context, lock, hazard string) (json.RawMessage, error) {
		return a.tryCell(ctx, suite.Find(lock), hazard)
	}}
}

// checkPart tries some of the locks of a package under some of their hazards.
func (a *app) checkPart(cmd *cobra.Command, suite *trial.Suite, f checkFlags) error {
	job, m := a.checkJob(suite, f)
	return a.runPart(cmd, f.partFlags, job, m)
}

// checkQueued has workers try the locks of a package, each hazard of a lock a part.
func (a *app) checkQueued(cmd *cobra.Command, suite *trial.Suite, f checkFlags) error {
	job, m := a.checkJob(suite, f)
	whole, err := a.runQueued(cmd, f.queueFlags, job, len(job.Locks)*len(job.Hazards), m)
	if err != nil {
		return err
	}
	return a.mergeCheck(cmd, whole, mergeFlags{exploreFlags: exploreFlags{json: f.json}})
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
	err = enc.Encode(checkedCell{*r, r.Explored.Trouble, r.Facts})
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
	var all []tried
	for _, id := range w.Job.Locks {
		l := a.suite.Find(id)
		if l == nil {
			return lang.Errorf("%s is not among the locks that the tests of %s put under test", id, a.suite.Path)
		}
		t := tried{Lock: l, suite: a.suite}
		for _, h := range l.Plan.Under() {
			text, ok := w.Checked(id, h.ID)
			if !ok {
				return lang.Errorf("%s, %s: no part has it", id, h.ID)
			}
			var c checkedCell
			if err := json.Unmarshal(text, &c); err != nil || c.Hazard != h.ID {
				return lang.Errorf("%s, %s: it has not what a %s finds", id, h.ID, string(pieces.Check))
			}
			if err := playChecked(cmd.Context(), text); err != nil {
				return unexpected(err)
			}
			r := c.Report
			r.Facts = c.Facts
			r.Explored = explore.Report{Hazard: h.ID, Trouble: c.Trouble}
			t.reports = append(t.reports, &r)
			if f.json {
				if err := a.checked(a.suite, l, &r); err != nil {
					return err
				}
			}
		}
		all = append(all, t)
	}
	if !f.json {
		a.printAll(cmd.Context(), all)
	}
	return judgeTried(all)
}
