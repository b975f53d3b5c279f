package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"lockstep/scenarios"
	"lockstep/scenarios/prose"
	"lockstep/sim/explore"
	"lockstep/sim/history"
)

type exploreFlags struct {
	hazards                          []string
	clients                          string
	states, depth, ticks, faults     count
	json, story, transcript, failing bool
}

func (a *app) exploreCommand() *cobra.Command {
	f := exploreFlags{states: statesFlag(), depth: depthFlag(), ticks: optional(0, 100), faults: optional(0, 100)}
	cmd := &cobra.Command{
		Use:   "explore LOCK",
		Short: "Try every schedule of a lock under a hazard",
		Long: `Explore tries every schedule that is possible within bounds, on the real code
of a lock and a real miniredis. It finds schedules that break an invariant,
or shows that within the bounds there is none.

The verdicts: VIOLATED, some schedule breaks an invariant. HOLDS, none does.
VACUOUS, none does, but what the hazard is about never came to pass.
INCONCLUSIVE, a limit ended the search, which is no pass: the exit code is 1.

Without --hazard every hazard is explored. The bounds of each are printed;
--ticks and --faults replace them, --faults where the hazard has any.`,
		Example: `  lockstep explore set-del --hazard overrun --transcript
  lockstep explore set-lua --hazard contention --clients A,B,C
  lockstep explore setnx --hazard crash --story > my_story.txt
  lockstep explore fenced --json --fail-on-violation`,
		Args:              one("a lock"),
		ValidArgsFunction: first(a.completeLock),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.explore(cmd, args[0], f)
		},
	}
	a.searchFlags(cmd, &f)
	cmd.Flags().Var(&f.states, "states", "give up beyond `N` states")
	cmd.Flags().Var(&f.depth, "depth", "give up beyond `N` actions")
	return cmd
}

// searchFlags are those that explore and hunt share.
func (a *app) searchFlags(cmd *cobra.Command, f *exploreFlags) {
	flags := cmd.Flags()
	flags.StringSliceVar(&f.hazards, "hazard", nil, "this `HAZARD` only; may be given more than once")
	flags.StringVar(&f.clients, "clients", "A,B", "`NAMES` of the clients, with commas between them")
	flags.Var(&f.ticks, "ticks", "let time pass `N` times at most")
	flags.Var(&f.faults, "faults", "let `N` faults happen at most")
	flags.BoolVar(&f.json, "json", false, "print one JSON object a line, one for each hazard")
	flags.BoolVar(&f.story, "story", false, "print the worst of all schedules as a story file, and nothing else")
	flags.BoolVar(&f.transcript, "transcript", false, "print what happens in the worst schedule of each hazard")
	flags.BoolVar(&f.failing, "fail-on-violation", false, "exit with 1 unless every verdict is HOLDS")
	complete(cmd, "hazard", a.completeHazard)
}

// worlds checks a command line of explore or hunt. It returns the hazards and
// the clients.
func (f *exploreFlags) worlds(cmd *cobra.Command, lock string) ([]explore.Hazard, []string, error) {
	if err := exclude(cmd, "json", "story", "transcript"); err != nil {
		return nil, nil, err
	}
	if _, err := findLock(lock); err != nil {
		return nil, nil, err
	}
	hazards, err := findHazards(f.hazards)
	if err != nil {
		return nil, nil, err
	}
	var clients history.Config
	if err := clients.Set("clients", f.clients); err != nil {
		return nil, nil, usage(cmd, "--%w", err)
	}
	return hazards, clients.Clients, nil
}

func (a *app) explore(cmd *cobra.Command, lock string, f exploreFlags) error {
	hazards, clients, err := f.worlds(cmd, lock)
	if err != nil {
		return err
	}
	book, err := prose.Load(a.lang)
	if err != nil {
		return err
	}
	t := transcript{app: a, book: book, told: map[string]bool{}}
	reports, err := t.explorations(cmd.Context(), lock, hazards, clients, f)
	if err != nil {
		return err
	}
	if f.story {
		if err := a.worstStory("explore", reports); err != nil {
			return err
		}
	}
	return judge("explore", reports, f.failing)
}

// explorations explores one hazard after the other and prints each at once.
func (t *transcript) explorations(ctx context.Context, lock string, hazards []explore.Hazard, clients []string, f exploreFlags) ([]explore.Report, error) {
	if !f.json && !f.story {
		t.lock(lock)
	}
	var reports []explore.Report
	for _, h := range hazards {
		e, err := await(ctx, func() (*exploration, error) { return check(ctx, f.within(h), lock, clients) })
		if err != nil {
			return nil, err
		}
		if err := t.exploration(e, f); err != nil {
			return nil, err
		}
		reports = append(reports, e.Report)
	}
	return reports, nil
}

// within puts the bounds of the command line in place of a hazard's own.
func (f *exploreFlags) within(h explore.Hazard) explore.Hazard {
	h.Bounds.States, h.Bounds.Depth = f.states.value, f.depth.value
	if f.ticks.value >= 0 {
		h.Bounds.Ticks = f.ticks.value
	}
	if f.faults.value >= 0 && len(h.Bounds.Faults) > 0 {
		h.Bounds.Budget = f.faults.value
	}
	return h
}

// judge turns verdicts into the exit code: a search that did not come to its
// end is no pass.
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
	var problems []string
	for _, v := range bad {
		if times[v] > 0 {
			problems = append(problems, fmt.Sprintf("%d of %d %s", times[v], len(reports), v))
		}
	}
	if len(problems) == 0 {
		return nil
	}
	return unexpected(fmt.Errorf("%s: %s", command, strings.Join(problems, ", ")))
}

// worstStory prints the worst of what was found as a story. With equal faults
// and steps, the first hazard's counts.
func (a *app) worstStory(command string, reports []explore.Report) error {
	var worst *explore.Found
	var of *explore.Report
	for i := range reports {
		r := &reports[i]
		found := r.Worst()
		if found == nil {
			continue
		}
		cost := []int{r.Faults(found), len(found.Schedule)}
		if worst == nil || slices.Compare(cost, []int{of.Faults(worst), len(worst.Schedule)}) < 0 {
			worst, of = found, r
		}
	}
	if worst == nil {
		return unexpected(fmt.Errorf("%s: no schedule was found that breaks anything, so there is no story", command))
	}
	story, err := scenarios.FromSchedule("counterexample", of.Config, worst.Schedule)
	if err != nil {
		return unexpected(err)
	}
	_, err = a.out.WriteString(story.Source())
	return err
}
