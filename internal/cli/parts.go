package cli

import (
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"lockstep/internal/cache"
	"lockstep/internal/lang"
	"lockstep/internal/pieces"
	"lockstep/internal/trial"
)

// partFlags are the flags of a command whose work can be cut.
type partFlags struct{ part, into string }

func takesPart(cmd *cobra.Command, f *partFlags) {
	takes(cmd.Flags(), "part", &f.part)
	cmd.Flags().StringVarP(&f.into, "output", "o", "", "")
}

// piece returns the part that the flag asks for.
func (f *partFlags) piece(cmd *cobra.Command) (part, of int, err error) {
	i, n, cut := strings.Cut(f.part, "/")
	part, wrong := strconv.Atoi(i)
	of, none := strconv.Atoi(n)
	if !cut || wrong != nil || none != nil || of < 1 || of > pieces.MostParts || part < 1 || part > of {
		return 0, 0, usage(cmd, "--part: %q is not a part; use 1/4 to 4/4 for four parts, of which there may be %d", f.part, pieces.MostParts)
	}
	return part, of, nil
}

// runPart does a part of a job and writes its result.
func (a *app) runPart(cmd *cobra.Command, f partFlags, job pieces.Job, m pieces.Machine) error {
	part, of, err := f.piece(cmd)
	if err != nil {
		return err
	}
	if a.suite != nil {
		job.Package = a.suite.Path
	}
	version, err := a.versionFor(job.Locks)
	if err != nil {
		return err
	}
	defer limitMemory(size(m.Memory))()
	m.Progress = func(lock, hazard string, done, of int) {
		if of == 0 {
			a.progressLine(lang.New("%s, %s: %d states", lock, hazard, done))
			return
		}
		a.progressLine(lang.New("%s, %s: %d of %d runs", lock, hazard, done, of))
	}
	r, err := pieces.Run(cmd.Context(), pieces.Piece{Schema: pieces.Schema, Version: version, Job: job, Part: part, Of: of}, m)
	a.eraseProgress()
	if err != nil {
		return unexpected(err)
	}
	text, err := r.Encode()
	if err != nil {
		return unexpected(err)
	}
	if f.into != "" {
		return a.write(cmd.Context(), f.into, text)
	}
	_, err = a.out.Write(text)
	return err
}

// versionOf is the version of all code that the parts of a job depend on: of this program,
// and of the tests of a package, if they are not nil. It is the same on all machines.
func versionOf(suite *trial.Suite) (string, error) {
	name, err := os.Executable()
	code, ok := cache.Identify(name)
	if err != nil || !ok {
		return "", unexpected(lang.Errorf("this program cannot be read, so that parts could not be told from those of another version"))
	}
	codes := []string{code}
	if suite != nil {
		tests, err := suite.Content()
		if err != nil {
			return "", err
		}
		codes = append(codes, tests)
	}
	return string(cache.KeyOf(codes...)), nil
}

// ofSuite reports whether one of the locks is of a package's tests.
func ofSuite(locks []string, suite *trial.Suite) bool {
	return suite != nil && slices.ContainsFunc(locks, func(id string) bool { return suite.Find(id) != nil })
}

// versionFor is the version for a job on these locks.
func (a *app) versionFor(locks []string) (string, error) {
	if !ofSuite(locks, a.suite) {
		return versionOf(nil)
	}
	return versionOf(a.suite)
}
