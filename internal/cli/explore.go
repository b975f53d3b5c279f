package cli

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"lockstep/internal/lang"
	"lockstep/internal/pieces"
	"lockstep/scenarios"
	"lockstep/sim/explore"
	"lockstep/sim/history"
)

type exploreFlags struct {
	hazards                          []string
	clients                          string
	states, depth, ticks, faults     count
	rounds, jobs                     count
	memory                           size
	json, story, transcript, failing bool
	walk                             bool
	first                            bool
	export                           string // this and the following are for explore only
	stats, fresh, exact              bool
	grow                             bool // to larger worlds
}

// newExploreFlags returns the defaults.
func newExploreFlags(states, depth count) exploreFlags {
	return exploreFlags{
		clients: usualClients,
		states:  states, depth: depth, ticks: optional(0, 100), faults: optional(0, 100),
		rounds: optional(1, 100), jobs: count{runtime.GOMAXPROCS(0), 1, 1024}, memory: memoryFlag(),
	}
}

func (a *app) exploreCommand() *cobra.Command {
	f := newExploreFlags(statesFlag(), depthFlag())
	cmd := withArgument("explore LOCK", lang.New("a lock"), a.completeLock, func(cmd *cobra.Command, lock string) error { return a.explore(cmd, lock, f) })
	f.takes(cmd, ofSearch+"states memory depth first export stats exact fresh")
	a.takesGuests(cmd)
	return cmd
}

// ofSearch are the flags that explore and hunt share.
const ofSearch = "hazard clients rounds faults jobs ticks json story transcript walk fail-on-violation "

// takes gives a command some of the flags.
func (f *exploreFlags) takes(cmd *cobra.Command, names string) {
	all := map[string]any{
		"clients": &f.clients, "depth": &f.depth, "exact": &f.exact, "export": &f.export, "fail-on-violation": &f.failing,
		"faults": &f.faults, "first": &f.first, "fresh": &f.fresh, "hazard": &f.hazards, "hazards": &f.hazards, "jobs": &f.jobs,
		"json": &f.json, "memory": &f.memory, "rounds": &f.rounds, "states": &f.states, "stats": &f.stats, "story": &f.story,
		"ticks": &f.ticks, "transcript": &f.transcript, "walk": &f.walk,
	}
	for _, name := range strings.Fields(names) {
		takes(cmd, name, all[name])
	}
}

// asks returns what a command line of explore or hunt asks of a lock.
func (a *app) asks(cmd *cobra.Command, lock string, f *exploreFlags) (pieces.Job, error) {
	if err := a.knowLock(lock); err != nil {
		return pieces.Job{}, err
	}
	return f.job(cmd, []string{lock})
}

// usualClients are the clients where the command line names none.
const usualClients = "A,B"

func (a *app) explore(cmd *cobra.Command, lock string, f exploreFlags) error {
	job, err := a.asks(cmd, lock, &f)
	if err != nil {
		return err
	}
	if f.export != "" {
		if err := a.mayWrite(cmd, exportFlags{output: f.export}); err != nil {
			return err
		}
	}
	defer limitMemory(f.memory)()
	f.grow = grows(cmd)
	t := a.transcript(cmd.Context())
	reports, err := t.explorations(t.ctx, job, f)
	if err != nil {
		return err
	}
	return t.conclude(cmd, reports, len(job.Hazards), f)
}

// conclude prints a story or writes an export if asked, and turns the reports
// into the exit code.
func (t *transcript) conclude(cmd *cobra.Command, reports []explore.Report, of int, f exploreFlags) error {
	ctx, command := cmd.Context(), cmd.Name()
	if f.story {
		if err := t.worstStory(ctx, command, reports); err != nil {
			return err
		}
	}
	if f.export != "" && ctx.Err() == nil {
		if err := t.exportWorst(ctx, command, reports, f.export); err != nil {
			return err
		}
	}
	if worst, r, err := worstFound(command, reports); err == nil && ctx.Err() == nil && !f.json && !f.story {
		if f.walk {
			if err := t.out.Flush(); err != nil {
				return err
			}
			return t.walkRun(cmd, r.Config, worst.Schedule)
		}
		t.say("")
		t.say("Next: --walk opens the walkthrough on the gravest violation, --story prints it as a story, --transcript explains what is printed here, --stats counts")
	}
	switch {
	case ctx.Err() != nil:
		return interrupted(command, len(reports)-endedBy(explore.Interrupt, reports), of)
	case t.unplayed != nil:
		return unexpected(lang.Errorf("%s: %w", command, t.unplayed))
	}
	return judge(command, reports, f.failing)
}

// endedBy counts the reports whose searches a limit ended.
func endedBy(limit string, reports []explore.Report) (n int) {
	for i := range reports {
		if reports[i].Limit == limit {
			n++
		}
	}
	return n
}

// interrupted is the error for a search that the user ended, which is not a
// pass.
func interrupted(command string, done, of int) error {
	err := lang.Errorf("%s: interrupted after %d of %d; what has not been searched is INCONCLUSIVE", command, done, of)
	return &exitError{code: exitUnexpected, err: err, final: true}
}

// exploreProgress returns a function that shows the progress of a search.
func (a *app) exploreProgress(of any) func(explore.Progress) {
	return func(p explore.Progress) {
		a.progressLine(lang.New("%s: %d states, %v, depth %d", of, p.States, lang.Count(p.Faults, "%d fault", "%d faults"), p.Depth))
	}
}

// explorations explores a lock under its hazards, some side by side, and prints each report
// once those before it are printed.
func (t *transcript) explorations(ctx context.Context, job pieces.Job, f exploreFlags) ([]explore.Report, error) {
	asked, err := job.Questions(int(f.memory) / min(f.jobs.value, len(job.Hazards)))
	if err != nil {
		return nil, err
	}
	shelf, err := t.openCache(f.fresh, false)
	if err != nil {
		return nil, err
	}
	type answer struct {
		*exploration
		err error
	}
	answers := map[string]chan answer{}
	for _, q := range asked {
		answers[q.Hazard.ID] = make(chan answer, 1)
	}
	ctx, end := context.WithCancel(ctx)
	var all sync.WaitGroup
	defer all.Wait()
	defer end() // after an error
	all.Go(func() {
		explore.SideBySide(ctx, asked[0].Lock, asked, f.jobs.value, func(row *explore.Row, n int) {
			e, err := t.explored(ctx, row, shelf, asked[n], f)
			answers[asked[n].Hazard.ID] <- answer{e, err}
		})
	})
	return t.underEach(ctx, asked, f, func(q explore.Question) (*exploration, error) {
		a := <-answers[q.Hazard.ID]
		return a.exploration, a.err
	})
}

// explored explores a lock under a hazard, in larger worlds too if f asks for them. A panic is
// an error: in a goroutine it would end the program without restoring the terminal.
func (t *transcript) explored(ctx context.Context, row *explore.Row, shelf explore.Shelf, q explore.Question, f exploreFlags) (e *exploration, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = lang.Errorf("panic: %v", p)
		}
	}()
	o := explore.Options{Progress: t.exploreProgress(q.Hazard.ID)}
	if f.first {
		o.First = true
	}
	if e, err = t.timed(ctx, row, shelf, q, o); err == nil && f.grow {
		err = t.grow(ctx, row, shelf, q, o, e)
	}
	return e, err
}

// timed explores a lock under a hazard, replays its first counterexample, and notes how long both took.
func (t *transcript) timed(ctx context.Context, row *explore.Row, shelf explore.Shelf, q explore.Question, o explore.Options) (*exploration, error) {
	begun := time.Now()
	report, err := row.Answer(ctx, shelf, q, o)
	if err != nil {
		return nil, unexpected(lang.Errorf("%s, %s: %w", q.Lock.ID, q.Hazard.ID, err))
	}
	e, err := examine(ctx, report)
	if err == nil {
		e.took = time.Since(begun)
	}
	return e, err
}

// underEach searches a lock under one hazard after the other, and prints each report. After
// an interrupt it returns the reports so far.
func (t *transcript) underEach(ctx context.Context, asked []explore.Question, f exploreFlags, search func(explore.Question) (*exploration, error)) (reports []explore.Report, err error) {
	if !f.json && !f.story {
		t.lock(asked[0].Lock.ID)
	}
	for _, q := range asked {
		e, err := search(q)
		if err != nil {
			return nil, err
		}
		t.showing.Lock()
		t.eraseProgress()
		err = t.report(e, f)
		t.showing.Unlock()
		if err != nil {
			return nil, err
		}
		reports = append(reports, e.deciding())
		for _, of := range append([]*exploration{e}, e.larger...) {
			t.unplayed = errors.Join(t.unplayed, of.unplayed)
		}
		if ctx.Err() != nil {
			break
		}
	}
	return reports, nil
}

// job is the work that the command line asks for.
func (f *exploreFlags) job(cmd *cobra.Command, locks []string) (pieces.Job, error) {
	j := pieces.Job{
		Locks: locks, Rounds: max(0, f.rounds.value), Ticks: f.ticks.value, Faults: f.faults.value,
		States: f.states.value, Depth: f.depth.value, Exact: f.exact,
	}
	hazards, err := findHazards(f.hazards)
	if err != nil {
		return j, err
	}
	for _, h := range hazards {
		j.Hazards = append(j.Hazards, h.ID)
	}
	var c history.Config
	if err := c.Set("clients", f.clients); err != nil {
		return j, usage(cmd, "--%w", err)
	}
	j.Clients = c.Clients
	return j, nil
}

// judge turns verdicts into the exit code. INCONCLUSIVE is not a pass.
func judge(command string, reports []explore.Report, failing bool) error {
	times := map[explore.Verdict]int{}
	for i := range reports {
		v, _ := reports[i].Verdict()
		times[v]++
	}
	bad := []explore.Verdict{explore.Inconclusive}
	if failing {
		bad = []explore.Verdict{explore.Violated, explore.Vacuous, explore.Inconclusive}
	}
	var problems []any
	for _, v := range bad {
		if times[v] > 0 {
			problems = append(problems, lang.New("%d of %d %v", times[v], len(reports), v))
		}
	}
	if len(problems) == 0 {
		return nil
	}
	return unexpected(lang.Errorf("%s: %v", command, lang.Join(", ", problems...)))
}

// worstFound returns the counterexample of the gravest harm, of those the one with
// the fewest faults and then the fewest actions, and its report. Of equals it takes the
// first hazard's.
func worstFound(command string, reports []explore.Report) (worst *explore.Found, of *explore.Report, err error) {
	for i := range reports {
		r := &reports[i]
		found := r.Worst()
		if found == nil {
			continue
		}
		if worst == nil || slices.Compare(r.Gravity(found), of.Gravity(worst)) < 0 {
			worst, of = found, r
		}
	}
	if worst == nil {
		return nil, nil, unexpected(lang.Errorf("%s: no schedule was found that breaks anything, so there is no story", command))
	}
	return worst, of, nil
}

// worstStory prints the worst schedule as a story.
func (a *app) worstStory(ctx context.Context, command string, reports []explore.Report) error {
	worst, of, err := worstFound(command, reports)
	if err != nil {
		return err
	}
	story, err := scenarios.FromSchedule(ctx, "counterexample", of.Config, worst.Schedule)
	if err != nil {
		return unexpected(err)
	}
	_, err = a.out.WriteString(story.Source())
	return err
}
