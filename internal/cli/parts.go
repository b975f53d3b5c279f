package cli

import (
	"cmp"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"lockstep/internal/cache"
	"lockstep/internal/lang"
	"lockstep/internal/pieces"
	"lockstep/internal/trial"
)

// cutFlags are the flags of a command whose work can be cut.
type cutFlags struct {
	part, into string
	queueFlags
}

func takesParts(cmd *cobra.Command, f *cutFlags) {
	takes(cmd, "part", &f.part)
	cmd.Flags().StringVarP(&f.into, "output", "o", "", "")
	takesQueue(cmd, &f.queueFlags)
}

// inParts does a job as the flags say: a part of it, or all of it by workers, which report
// gets, or all of it here, by report. With first it ends at the first violation.
func (a *app) inParts(cmd *cobra.Command, f cutFlags, job pieces.Job, m pieces.Machine, first bool, report func(*pieces.Whole) error) error {
	switch {
	case f.part != "":
		return a.runPart(cmd, f, job, m)
	case f.queue == "":
		return report(nil)
	}
	s, err := newSpread(job, a.suite)
	if err != nil {
		return err
	}
	wholes, err := a.runQueued(cmd, f.queueFlags, []*spread{s}, first)
	if err != nil {
		return err
	}
	return report(wholes[0])
}

// runPart does a part of a job and writes its result.
func (a *app) runPart(cmd *cobra.Command, f cutFlags, job pieces.Job, m pieces.Machine) error {
	s, err := newSpread(job, a.suite)
	if err != nil {
		return err
	}
	i, n, cut := strings.Cut(f.part, "/")
	var wrong, none error
	s.Part, wrong = strconv.Atoi(i)
	s.Of, none = strconv.Atoi(n)
	if !cut || wrong != nil || none != nil || s.Of < 1 || s.Of > pieces.MostParts || s.Part < 1 || s.Part > s.Of {
		return usage(cmd, "--part: %q is not a part; use 1/4 to 4/4 for four parts, of which there may be %d", f.part, pieces.MostParts)
	}
	defer limitMemory(size(m.Memory))()
	m.Progress = func(lock, hazard string, done, of int) {
		if of == 0 {
			a.progressLine(lang.New("%s, %s: %d states", lock, hazard, done))
			return
		}
		a.progressLine(lang.New("%s, %s: %d of %d runs", lock, hazard, done, of))
	}
	r, err := pieces.Run(cmd.Context(), s.Piece, m)
	a.eraseProgress()
	if err != nil {
		return unexpected(err)
	}
	text, err := r.Encode()
	if err != nil {
		return unexpected(err)
	}
	return a.write(cmd.Context(), cmp.Or(f.into, toStdout), text)
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
