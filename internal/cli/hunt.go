package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/spf13/cobra"

	"lockstep/internal/lang"
	"lockstep/internal/pieces"
	"lockstep/scenarios"
	"lockstep/sim/explore"
	"lockstep/sim/fuzz"
)

// huntFlags are the flags of explore and hunt's own. depth bounds a run, and
// states the exploration after it.
type huntFlags struct {
	exploreFlags
	partFlags
	queueFlags
	runs, seed, bugDepth count
}

func (a *app) huntCommand() *cobra.Command {
	f := huntFlags{
		exploreFlags: newExploreFlags(count{100_000, 0, 1_000_000_000}, count{1000, 1, 10_000}),
		runs:         count{1000, 1, 1_000_000_000}, seed: count{1, 0, math.MaxInt}, bugDepth: count{3, 1, 100},
	}
	cmd := &cobra.Command{
		Use:               "hunt LOCK",
		Args:              exactly(lang.New("a lock")),
		ValidArgsFunction: first(a.completeLock),
		RunE:              func(cmd *cobra.Command, args []string) error { return a.hunt(cmd, args[0], f) },
	}
	a.searchFlags(cmd, &f.exploreFlags)
	takes(cmd.Flags(),
		"runs", &f.runs, "seed", &f.seed, "depth", &f.bugDepth, "steps", &f.depth, "states", &f.states, "memory", &f.memory,
		"stats", &f.stats, "first", &f.first)
	takesPart(cmd, &f.partFlags)
	takesQueue(cmd, &f.queueFlags)
	a.takesGuests(cmd)
	return cmd
}

func (a *app) hunt(cmd *cobra.Command, lock string, f huntFlags) error {
	hazards, clients, err := a.worlds(cmd, lock, &f.exploreFlags)
	if err != nil {
		return err
	}
	job, m := f.huntJob(lock, hazards, clients), pieces.Machine{Jobs: f.jobs.value, Memory: int(f.memory)}
	switch {
	case f.part != "":
		return a.runPart(cmd, f.partFlags, job, m)
	case f.queue != "":
		whole, err := a.runOneQueued(cmd, f.queueFlags, job, huntParts(job.Hunt.Runs), f.first)
		if err != nil {
			return err
		}
		return a.mergeHunt(cmd, whole, mergeFlags{exploreFlags: f.exploreFlags})
	}
	return a.hunts(cmd, hazards, f, job, nil, func(ctx context.Context, h explore.Hazard) (fuzz.Report, error) {
		return a.huntUnder(ctx, h, job, f)
	})
}

// huntJob is the work that the command line asks for.
func (f *huntFlags) huntJob(lock string, hazards []explore.Hazard, clients []string) pieces.Job {
	j := f.job([]string{lock}, hazards, clients)
	j.What, j.States = pieces.Hunt, 0 // States limits the proof
	j.Hunt = &pieces.Hunting{
		BugDepth: f.bugDepth.value, Seed: uint64(f.seed.value), Runs: f.runs.value, Prove: f.states.value,
	}
	return j
}

// hunts hunts under one hazard after the other and prints each report at once. whole
// are the parts, if it was done in parts.
func (a *app) hunts(cmd *cobra.Command, hazards []explore.Hazard, f huntFlags, job pieces.Job, whole *pieces.Whole, hunt func(context.Context, explore.Hazard) (fuzz.Report, error)) error {
	ctx, lock := cmd.Context(), job.Locks[0]
	t := a.transcript(ctx)
	defer limitMemory(f.memory)()
	if !f.json && !f.story {
		t.say("%v, %d runs each. A hunt proves nothing: where it finds no violation, the verdict is INCONCLUSIVE.",
			lang.Count(len(hazards), "%d hazard", "%d hazards"), job.Hunt.Runs)
		t.say("")
		if err := t.out.Flush(); err != nil {
			return err
		}
	}
	var unsearched []string
	ended := false
	reports, err := t.underEach(ctx, lock, hazards, f.exploreFlags, func(h explore.Hazard) (*exploration, error) {
		if ended {
			unsearched = append(unsearched, h.ID)
			return nil, t.leftOut(h, f, job)
		}
		report, err := hunt(ctx, h)
		t.eraseProgress()
		if err != nil {
			return nil, unexpected(lang.Errorf("%s, %s: %w", lock, h.ID, err))
		}
		subject, err := scenarios.SubjectOf(lock)
		if err != nil {
			return nil, err
		}
		report.Hazard, report.Server = h.ID, subject.Server
		e, err := examine(ctx, report.Report, lock)
		if err != nil {
			return nil, err
		}
		ended = f.first && whole == nil && len(e.Found) > 0
		return e, t.hunted(&huntResult{e, report}, f)
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
	return t.conclude(cmd, reports, len(hazards), f.exploreFlags)
}

// leftOut prints the row of a hazard that --first left out.
func (t *transcript) leftOut(h explore.Hazard, f huntFlags, job pieces.Job) error {
	if !f.json {
		return nil
	}
	subject, err := scenarios.SubjectOf(job.Locks[0])
	if err != nil {
		return err
	}
	q := job.Question(explore.Lock{ID: job.Locks[0], Subject: subject}, h, 0)
	r := explore.Report{Hazard: h.ID, Server: subject.Server, Config: q.Config, Bounds: q.Hazard.Bounds, Limit: explore.FirstViolation}
	o := job.HuntOptions(pieces.Machine{})
	return t.hunted(&huntResult{&exploration{Report: r, lock: job.Locks[0]}, fuzz.Report{Report: r, Options: o}}, f)
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

func (a *app) huntUnder(ctx context.Context, h explore.Hazard, job pieces.Job, f huntFlags) (fuzz.Report, error) {
	lock := job.Locks[0]
	subject, err := scenarios.SubjectOf(lock)
	if err != nil {
		return fuzz.Report{}, err
	}
	q := job.Question(explore.Lock{ID: lock, Subject: subject}, h, 0)
	o := job.HuntOptions(pieces.Machine{Jobs: f.jobs.value, Memory: int(f.memory)})
	o.First = f.first
	o.Progress = func(done, found int) {
		a.progressLine(lang.New("%s: %d of %d runs, %d invariants violated", h.ID, done, f.runs.value, found))
	}
	return fuzz.Hunt(ctx, q.Config, subject, q.Hazard.Bounds, o)
}

// A huntResult is the report of a hunt with the run of its worst schedule.
type huntResult struct {
	*exploration
	hunt fuzz.Report
}

// hunted prints the report of one hazard.
func (t *transcript) hunted(e *huntResult, f huntFlags) error {
	switch {
	case f.story:
		return nil
	case f.json:
		return t.object(e.row(), "")
	}
	switch verdict := t.verdictOf(e.exploration); {
	case verdict != explore.Violated:
	case e.Limit == explore.FirstViolation, e.Limit == explore.Interrupt:
		t.say("Stopped at: %v", lang.Word(e.Limit))
	}
	t.counterexample(e.exploration, f.transcript)
	for i, hit := range e.hunt.Hits {
		t.also(e.exploration, &e.Found[i])
		t.say("In runs: %d of %d, the first is run %d", hit.Runs, e.hunt.Runs, hit.First)
	}
	t.runs(&e.hunt)
	if f.stats {
		t.say("Over all runs: %v", counted(&e.Report))
	}
	t.say("Assumptions: %v", e.Assumptions())
	return t.out.Flush()
}

// runs prints how the runs were picked and their bound.
func (t *transcript) runs(r *fuzz.Report) {
	o := r.Options
	t.say("Picked by: pct, bugs of depth %d, seed %d", o.BugDepth, o.Seed)
	t.say("Runs: %d of %d, numbered from 0", r.Runs, o.Runs)
	t.say("Actions: %d, in a run %d to %d", r.Transitions, r.Fewest, r.Depth)
	if r.Cut > 0 {
		t.say("Ended by the limit on actions: %v", lang.Count(r.Cut, "%d run", "%d runs"))
	}
	if r.Undecided > 0 {
		t.say("Not decided, lock-recovers: at the end of %v", lang.Count(r.Undecided, "%d run", "%d runs"))
	}
	t.say("Bound: %v", bound(r))
}

// bound is the probability with which the runs find a bug.
func bound(r *fuzz.Report) lang.Message {
	p, ok := r.Bound()
	if !ok {
		return lang.New("none; there is one from the second run on")
	}
	with := r.Promise
	var longest lang.Message
	if with.Longest > with.Choices {
		longest = lang.New(" (the longest has %d)", with.Longest)
	}
	return lang.New("a bug of depth %d that shows within the first %d choices of a run%v is found with probability %.3g at least: "+
		"1-(1-1/(n*k^(d-1)))^R, n=%d actors, k=%d choices, d=%d, R=%d runs",
		r.Options.BugDepth, with.Choices, longest, p, with.Actors, with.Choices, r.Options.BugDepth, with.Runs)
}

// A huntRow is one hazard in hunt --json.
type huntRow struct {
	Schema      int             `json:"schema"`
	Lock        string          `json:"lock"`
	Hazard      string          `json:"hazard"`
	Verdict     explore.Verdict `json:"verdict"`
	Reason      string          `json:"reason,omitempty"`
	Limit       string          `json:"limit"`
	BugDepth    int             `json:"bug_depth"`
	Seed        uint64          `json:"seed"`
	Runs        int             `json:"runs"`
	RunsAsked   int             `json:"runs_asked"`
	Actions     int             `json:"actions"` // of all runs
	Fewest      int             `json:"fewest_actions"`
	Most        int             `json:"most_actions"`
	Cut         int             `json:"cut_runs"`
	Undecided   int             `json:"undecided_runs"`
	Bound       *boundRow       `json:"bound,omitempty"`
	Reproduced  int             `json:"reproduced,omitempty"`
	Found       []huntFoundRow  `json:"found,omitempty"`
	Counts      countsRow       `json:"counts"`
	Assumptions string          `json:"assumptions"`
}

type huntFoundRow struct {
	foundRow
	Runs     int `json:"runs"`
	FirstRun int `json:"first_run"`
}

// A boundRow is the least probability with which the runs find a bug that shows
// within the first Choices of a run.
type boundRow struct {
	Probability json.Number `json:"probability"` // to three digits, the same on all machines
	Actors      int         `json:"actors"`
	Choices     int         `json:"choices"`
	Longest     int         `json:"longest"` // choices of any run
	Runs        int         `json:"runs"`
}

func (e *huntResult) row() huntRow {
	r := &e.hunt
	row := huntRow{
		Schema: 2, Lock: e.lock, Hazard: e.Hazard, Limit: e.Limit, BugDepth: r.Options.BugDepth, Seed: r.Options.Seed,
		Runs: r.Runs, RunsAsked: r.Options.Runs, Actions: r.Transitions, Fewest: r.Fewest, Most: r.Depth,
		Cut: r.Cut, Undecided: r.Undecided, Counts: newCountsRow(&e.Report), Assumptions: e.Assumptions().String(),
	}
	verdict, reason := e.Verdict()
	row.Verdict, row.Reason = verdict, reason.String()
	if p, ok := r.Bound(); ok {
		row.Bound = &boundRow{json.Number(fmt.Sprintf("%.3g", p)), r.Promise.Actors, r.Promise.Choices, r.Promise.Longest, r.Promise.Runs}
	}
	if e.worst != nil && e.unplayed == nil {
		row.Reproduced = replays
	}
	for i, hit := range r.Hits {
		row.Found = append(row.Found, huntFoundRow{e.foundRow(&e.Found[i]), hit.Runs, hit.First})
	}
	return row
}
