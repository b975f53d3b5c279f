package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"lockstep/scenarios"
	"lockstep/scenarios/prose"
	"lockstep/sim/explore"
	"lockstep/sim/fuzz"
)

// huntFlags are those of explore, where depth is of a run and states of the
// exploration that comes after, and the hunt's own.
type huntFlags struct {
	exploreFlags
	pick                 string
	runs, seed, bugDepth count
	swarm                bool
}

func (a *app) huntCommand() *cobra.Command {
	f := huntFlags{
		exploreFlags: newExploreFlags(count{100_000, 0, 1_000_000_000}, count{1000, 1, 10_000}),
		runs:         count{1000, 1, 1_000_000_000}, seed: count{1, 0, math.MaxInt}, bugDepth: count{3, 1, 100},
	}
	cmd := &cobra.Command{
		Use:   "hunt LOCK",
		Short: "Try schedules of a lock at random",
		Long: `Hunt runs a lock again and again and picks at random what happens next, for
worlds that are too large to explore. What it finds it makes shorter; where an
exploration of at most --states states shows that nothing shorter exists, it
says shortest.

The verdicts: VIOLATED, some schedule breaks an invariant. INCONCLUSIVE, none
that was tried does, which is no pass: the exit code is 1. Hunting proves
nothing, but --pick pct prints with what probability it would have found a bug.

Ways to pick: pct, by random priorities that change at D-1 random choices, where
D is --depth; walk, everything possible is equally likely; urw, whoever has more
yet to do is more likely. The same --seed finds the same.

Without --hazard every hazard is hunted under. The bounds of each are printed;
--ticks and --faults replace them, --faults where the hazard has any.`,
		Example: `  lockstep hunt set-del --hazard overrun --clients A,B,C --rounds 2
  lockstep hunt redlock --hazard late-request --runs 20000 --swarm
  lockstep hunt watchdog-lua --pick walk --seed 7 --transcript
  lockstep hunt fenced --json --fail-on-violation`,
		Args:              one("a lock"),
		ValidArgsFunction: first(a.completeLock),
		RunE:              func(cmd *cobra.Command, args []string) error { return a.hunt(cmd, args[0], f) },
	}
	a.searchFlags(cmd, &f.exploreFlags)
	flags := cmd.Flags()
	flags.Var(&f.runs, "runs", "run `N` times under each hazard")
	flags.Var(&f.seed, "seed", "pick at random from `N` on")
	flags.StringVar(&f.pick, "pick", string(fuzz.PCT), "`HOW` to pick: "+pickings())
	flags.Var(&f.bugDepth, "depth", "look for bugs that `D` orders between actions bring about; pct only")
	flags.Var(&f.depth, "steps", "end a run after `N` actions")
	flags.Var(&f.states, "states", "explore at most `N` states to show that what was found is shortest; 0 does not")
	flags.Var(&f.memory, "memory", "let that exploration take `SIZE` of memory, as 512MiB")
	flags.BoolVar(&f.swarm, "swarm", false, "give each run a random part of the faults and of their number")
	complete(cmd, "pick", fixed(strings.Split(pickings(), ", ")))
	return cmd
}

func pickings() string {
	var names []string
	for _, p := range fuzz.Pickings {
		names = append(names, string(p))
	}
	return strings.Join(names, ", ")
}

func (a *app) hunt(cmd *cobra.Command, lock string, f huntFlags) error {
	hazards, clients, err := f.worlds(cmd, lock)
	if err != nil {
		return err
	}
	if !slices.Contains(fuzz.Pickings, fuzz.Picking(f.pick)) {
		return usage(cmd, "--pick: %q is no way to pick; %s would fit", f.pick, pickings())
	}
	book, err := prose.Load(a.lang)
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	t := transcript{app: a, ctx: ctx, book: book, told: map[string]bool{}}
	defer rarelyCollect(f.memory)()
	reports, err := t.hunts(ctx, lock, hazards, clients, f)
	if err != nil {
		return err
	}
	return t.conclude(ctx, "hunt", reports, len(hazards), f.exploreFlags)
}

// hunts hunts under one hazard after the other and prints each at once. An
// interrupt ends it after what was found under the one at hand.
func (t *transcript) hunts(ctx context.Context, lock string, hazards []explore.Hazard, clients []string, f huntFlags) ([]explore.Report, error) {
	if !f.json && !f.story {
		t.lock(lock)
	}
	var reports []explore.Report
	for _, h := range hazards {
		e, err := t.huntUnder(ctx, f.within(h), lock, clients, f)
		if err != nil {
			return nil, unexpected(fmt.Errorf("%s, %s: %w", lock, h.ID, err))
		}
		if err := t.hunted(e, f); err != nil {
			return nil, err
		}
		reports = append(reports, e.Report)
		t.unplayed = errors.Join(t.unplayed, e.unplayed)
		if ctx.Err() != nil {
			break
		}
	}
	return reports, nil
}

func (t *transcript) huntUnder(ctx context.Context, h explore.Hazard, lock string, clients []string, f huntFlags) (*huntResult, error) {
	subject, err := scenarios.SubjectOf(lock)
	if err != nil {
		return nil, err
	}
	config := h.Config(explore.Lock{ID: lock, Subject: subject}, clients...)
	config.Rounds = f.rounds.value
	tell, erase := t.huntProgress(h.ID, f.runs.value)
	report, err := fuzz.Hunt(ctx, config, subject, h.Bounds, fuzz.Options{
		Pick: fuzz.Picking(f.pick), BugDepth: f.bugDepth.value, Seed: uint64(f.seed.value), Runs: f.runs.value,
		Jobs: f.jobs.value, Swarm: f.swarm, States: f.states.value, Memory: int(f.memory), Progress: tell,
	})
	erase()
	if err != nil {
		return nil, err
	}
	report.Hazard = h.ID
	e, err := examine(ctx, report.Report, lock)
	return &huntResult{e, report}, err
}
