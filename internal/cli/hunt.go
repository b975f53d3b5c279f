package cli

import (
	"context"
	"math"
	"slices"

	"github.com/spf13/cobra"

	"lockstep/internal/lang"
	"lockstep/internal/pieces"
	"lockstep/sim/explore"
	"lockstep/sim/fuzz"
)

// huntFlags are the flags of explore and hunt's own. depth bounds a run, and
// states the exploration after it.
type huntFlags struct {
	exploreFlags
	cutFlags
	runs, seed, bugDepth count
}

func (a *app) huntCommand() *cobra.Command {
	f := huntFlags{
		exploreFlags: newExploreFlags(count{100_000, 0, 1_000_000_000}, count{1000, 1, 10_000}),
		runs:         count{1000, 1, 1_000_000_000}, seed: count{1, 0, math.MaxInt}, bugDepth: count{3, 1, 100},
	}
	cmd := withArgument("hunt LOCK", lang.New("a lock"), a.completeLock, func(cmd *cobra.Command, lock string) error { return a.hunt(cmd, lock, f) })
	f.takes(cmd, ofSearch+"states memory stats first")
	takes(cmd, "runs", &f.runs, "seed", &f.seed, "depth", &f.bugDepth, "steps", &f.depth)
	takesParts(cmd, &f.cutFlags)
	a.takesGuests(cmd)
	return cmd
}

func (a *app) hunt(cmd *cobra.Command, lock string, f huntFlags) error {
	job, err := a.asks(cmd, lock, &f.exploreFlags)
	if err != nil {
		return err
	}
	job.What, job.States = pieces.Hunt, 0 // States limits the proof
	job.Hunt = &pieces.Hunting{BugDepth: f.bugDepth.value, Seed: uint64(f.seed.value), Runs: f.runs.value, Prove: f.states.value}
	return a.inParts(cmd, f.cutFlags, job, f.machine(), f.first, func(w *pieces.Whole) error { return a.hunts(cmd, f.exploreFlags, job, w) })
}

// machine is what a search or a part of one runs on.
func (f *exploreFlags) machine() pieces.Machine {
	return pieces.Machine{Jobs: f.jobs.value, Memory: int(f.memory)}
}

// hunts hunts under one hazard after the other and prints each report at once. whole
// are the parts, if it was done in parts.
func (a *app) hunts(cmd *cobra.Command, f exploreFlags, job pieces.Job, whole *pieces.Whole) error {
	asked, err := job.Questions(0)
	if err != nil {
		return err
	}
	t := a.transcript(cmd.Context())
	defer limitMemory(f.memory)()
	if !f.json && !f.story {
		t.say("%v, %d runs each. A hunt proves nothing: where it finds no violation, the verdict is INCONCLUSIVE.",
			lang.Count(len(asked), "%d hazard", "%d hazards"), job.Hunt.Runs)
		t.say("")
		if err := t.out.Flush(); err != nil {
			return err
		}
	}
	var unsearched []string
	ended := false
	reports, err := t.underEach(t.ctx, asked, f, func(q explore.Question) (*exploration, error) {
		if ended {
			unsearched = append(unsearched, q.Hazard.ID)
			left := q.Unanswered(explore.FirstViolation)
			left.Hunt = job.HuntOptions(pieces.Machine{}).Asked()
			return &exploration{Report: left, leftOut: true}, nil
		}
		report, err := a.hunted(t.ctx, q, job, whole, f)
		if err != nil {
			return nil, unexpected(lang.Errorf("%s, %s: %w", q.Lock.ID, q.Hazard.ID, err))
		}
		e, err := examine(t.ctx, report)
		if err == nil {
			ended = f.first && whole == nil && len(e.Found) > 0
		}
		return e, err
	})
	if err != nil {
		return err
	}
	if !f.json && !f.story {
		t.unsearched(unsearched, whole)
	}
	if f.first {
		reports = onlyViolated(reports)
	}
	return t.conclude(cmd, reports, len(asked), f)
}

// hunted hunts under a hazard, or puts together what was hunted in parts.
func (a *app) hunted(ctx context.Context, q explore.Question, job pieces.Job, whole *pieces.Whole, f exploreFlags) (r explore.Report, err error) {
	if whole != nil {
		return whole.Hunted(ctx, q, f.machine())
	}
	o := job.HuntOptions(f.machine())
	o.First = f.first
	o.Progress = func(done, found int) {
		a.progressLine(lang.New("%s: %d of %d runs, %d invariants violated", q.Hazard.ID, done, o.Runs, found))
	}
	r, err = fuzz.Hunt(ctx, q.Config, q.Lock.Subject, q.Hazard.Bounds, o)
	r.Hazard = q.Hazard.ID
	return r, err
}

// unsearched says what --first left out.
func (t *transcript) unsearched(hazards []string, whole *pieces.Whole) {
	if len(hazards) > 0 {
		t.say("")
		t.say("Not searched, since --first ended the hunt: %v", lang.Names(hazards))
	}
	if whole != nil && len(whole.Missing) > 0 {
		t.say("")
		t.say("Not searched, since --first ended the hunt: under each hazard the runs %v", lang.Names(whole.Unsearched()))
	}
}

// onlyViolated are the reports with a violation, by which a search that ended there is
// judged; all, if there is none.
func onlyViolated(reports []explore.Report) []explore.Report {
	violated := slices.DeleteFunc(slices.Clone(reports), func(r explore.Report) bool { return len(r.Found) == 0 })
	if len(violated) == 0 {
		return reports
	}
	return violated
}

// runs prints how the runs of a hunt were picked and their bound.
func (t *transcript) runs(r *explore.Report, stats bool) {
	h := r.Hunt
	t.say("Picked by: pct, bugs of depth %d, seed %d", h.BugDepth, h.Seed)
	t.say("Runs: %d of %d, numbered from 0", h.Runs, h.Asked)
	t.say("Actions: %d, in a run %d to %d", r.Transitions, h.Fewest, r.Depth)
	if h.Cut > 0 {
		t.say("Ended by the limit on actions: %v", lang.Count(h.Cut, "%d run", "%d runs"))
	}
	if h.Undecided > 0 {
		t.say("Not decided, lock-recovers: at the end of %v", lang.Count(h.Undecided, "%d run", "%d runs"))
	}
	t.say("Bound: %v", bound(h))
	if stats {
		t.say("Over all runs: %v", counted(r))
	}
	t.say("Assumptions: %v", r.Assumptions())
}

// bound is the probability with which the runs find a bug.
func bound(h *explore.Hunted) lang.Message {
	p, ok := fuzz.Bound(h)
	if !ok {
		return lang.New("none; there is one from the second run on")
	}
	with := h.Promise
	var longest lang.Message
	if with.Longest > with.Choices {
		longest = lang.New(" (the longest has %d)", with.Longest)
	}
	return lang.New("a bug of depth %d that shows within the first %d choices of a run%v is found with probability %.3g at least: "+
		"1-(1-1/(n*k^(d-1)))^R, n=%d actors, k=%d choices, d=%d, R=%d runs",
		h.BugDepth, with.Choices, longest, p, with.Actors, with.Choices, h.BugDepth, with.Runs)
}
