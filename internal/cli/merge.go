package cli

import (
	"cmp"
	"context"

	"github.com/spf13/cobra"

	"lockstep/internal/lang"
	"lockstep/internal/pieces"
	"lockstep/sim/explore"
	"lockstep/sim/fuzz"
)

type mergeFlags struct {
	exploreFlags
	markdown bool
}

func (a *app) mergeCommand() *cobra.Command {
	f := mergeFlags{exploreFlags: newExploreFlags(statesFlag(), depthFlag())}
	cmd := &cobra.Command{
		Use:   "merge FILE...",
		Short: "Put the parts of a search together",
		Long: `Merge reads what hunt, matrix and check wrote with --part, and prints the
report that one machine would have printed. The order of the files makes no
difference, and neither does a part that is there twice.

It refuses parts of different versions of the program or of the lock, of different
configurations and of different numbers of parts, and names those that are missing.
It shortens the counterexamples of a hunt, and plays all others again. Only this
command gives a verdict; a part has none.`,
		Example: `  lockstep hunt redlock --runs 100000 --part 1/4 --output part1.json
  lockstep merge part1.json part2.json part3.json part4.json`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage(cmd, "%v is missing", lang.New("a file with a part"))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.merge(cmd, args, f) },
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.json, "json", false, "print a line of JSON for each hazard or cell")
	flags.BoolVar(&f.story, "story", false, "print only the worst of all schedules, as a story file")
	flags.BoolVar(&f.transcript, "transcript", false, "print all details of the worst schedule of each hazard")
	flags.BoolVar(&f.walk, "walk", false, "open the walkthrough on the worst of all schedules")
	flags.BoolVar(&f.stats, "stats", false, "print how often each event happened")
	flags.BoolVar(&f.markdown, "markdown", false, "print a matrix as a table in Markdown")
	flags.BoolVar(&f.failing, "fail-on-violation", false, "exit with 1 unless every verdict is HOLDS")
	flags.Var(&f.jobs, "jobs", "use `N` workers; the result does not depend on it")
	flags.Var(&f.memory, "memory", "let the proof that a schedule is shortest take `SIZE` of memory, as 512MiB")
	a.takesGuests(cmd)
	return cmd
}

func (a *app) merge(cmd *cobra.Command, names []string, f mergeFlags) error {
	whole, err := a.wholeOf(cmd, names)
	if err != nil {
		return err
	}
	what := whole.Job.What
	err = cmp.Or(
		only(cmd, what == pieces.Matrix, lang.New("a matrix"), "markdown"),
		only(cmd, what == pieces.Hunt, lang.New("a hunt"), "jobs", "memory", "story", "transcript", "walk", "stats", "fail-on-violation"),
	)
	if err != nil {
		return err
	}
	switch what {
	case pieces.Hunt:
		return a.mergeHunt(cmd, whole, f)
	case pieces.Matrix:
		return a.mergeMatrix(cmd, whole, matrixFlags{json: f.json, markdown: f.markdown})
	case pieces.Check:
	}
	return a.checkSuite(cmd.Context(), a.suite, checkFlags{json: f.json, exact: whole.Job.Exact, done: whole}, nil)
}

// wholeOf reads the parts and puts them together.
func (a *app) wholeOf(cmd *cobra.Command, names []string) (*pieces.Whole, error) {
	var parts []pieces.Result
	for _, name := range names {
		r, err := pieces.Read(name)
		if err != nil {
			return nil, lang.Errorf("%s: %w", name, err)
		}
		if a.suite == nil && r.Job.Package != "" {
			return nil, usage(cmd, "%s: its locks are of the package %s; name its folder with --with", name, r.Job.Package)
		}
		for _, lock := range r.Job.Locks {
			if err := a.knowLock(lock); err != nil {
				return nil, lang.Errorf("%s: %w", name, err)
			}
		}
		r.From = name
		parts = append(parts, r)
	}
	version, err := a.versionFor(parts[0].Job.Locks)
	if err != nil {
		return nil, err
	}
	whole, err := pieces.Merge(version, parts)
	if err != nil {
		return nil, err
	}
	for i := range whole.Parts {
		if err := whole.Parts[i].Verify(cmd.Context()); err != nil {
			return nil, unexpected(err)
		}
	}
	return whole, nil
}

func (a *app) mergeHunt(cmd *cobra.Command, w *pieces.Whole, f mergeFlags) error {
	hazards, err := findHazards(w.Job.Hazards)
	if err != nil {
		return err
	}
	m := pieces.Machine{Jobs: f.jobs.value, Memory: int(f.memory)}
	return a.hunts(cmd, hazards, huntFlags{exploreFlags: f.exploreFlags}, w.Job, w, func(ctx context.Context, h explore.Hazard) (fuzz.Report, error) {
		return w.Hunted(ctx, w.Job.Locks[0], h.ID, m)
	})
}

func (a *app) mergeMatrix(cmd *cobra.Command, w *pieces.Whole, f matrixFlags) error {
	cells, err := w.Cells(cmd.Context())
	if err != nil {
		return unexpected(err)
	}
	return a.concludeMatrix(cmd, cells, len(w.Job.Hazards), f)
}
