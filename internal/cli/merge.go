package cli

import (
	"cmp"

	"github.com/spf13/cobra"

	"lockstep/internal/lang"
	"lockstep/internal/pieces"
)

func (a *app) mergeCommand() *cobra.Command {
	f := newMatrixFlags()
	cmd := &cobra.Command{
		Use: "merge FILE...",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage(cmd, "%w", missing(cmd, lang.New("a file with a part")))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.merge(cmd, args, f) },
	}
	f.takes(cmd, "json story transcript walk stats fail-on-violation jobs memory")
	takes(cmd, "markdown", &f.markdown)
	a.takesGuests(cmd)
	return cmd
}

func (a *app) merge(cmd *cobra.Command, names []string, f matrixFlags) error {
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
		return a.hunts(cmd, f.exploreFlags, whole.Job, whole)
	case pieces.Matrix:
		return a.reportMatrix(cmd, f, whole.Job, whole)
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
	s, err := newSpread(parts[0].Job, a.suite)
	if err != nil {
		return nil, err
	}
	whole, err := pieces.Merge(s.Version, parts)
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
