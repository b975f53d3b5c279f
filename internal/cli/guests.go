package cli

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"lockstep/internal/cache"
	"lockstep/internal/lang"
	"lockstep/internal/trial"
	"lockstep/scenarios"
	"lockstep/sim/history"
)

// This file is about locks from outside the catalogue, which the tests of a
// package try.

// takesGuests gives a command the flag --with.
func (a *app) takesGuests(cmd *cobra.Command) {
	var with string
	takes(cmd, "with", &with)
	do := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if with == "" {
			return do(cmd, args)
		}
		fresh, _ := cmd.Flags().GetBool("fresh") // not every command has it
		verdicts, err := a.openCache(fresh, false)
		if err != nil {
			return err
		}
		suite, err := a.openSuite(cmd.Context(), with, nil, verdicts)
		if err != nil {
			return err
		}
		defer suite.Close()
		return do(cmd, args)
	}
}

// openSuite compiles the tests of a package and makes its locks known to stories
// and tokens.
func (a *app) openSuite(ctx context.Context, name string, match *regexp.Regexp, verdicts *cache.Verdicts) (*trial.Suite, error) {
	_, end := a.working(lang.New("%s: looking it up", name))
	pkg, err := trial.Find(ctx, name)
	end()
	if err != nil {
		return nil, a.uncompiled(name, err)
	}
	a.guestsOf = lang.Typed(name)
	return a.compile(ctx, pkg, match, verdicts)
}

func (a *app) compile(ctx context.Context, pkg *trial.Package, match *regexp.Regexp, verdicts *cache.Verdicts) (*trial.Suite, error) {
	now, end := a.working(lang.New("%s: compiling its tests", pkg.Path))
	suite, err := trial.Open(ctx, pkg, match, now)
	if err == nil && verdicts != nil {
		suite.Identify()
	}
	end()
	if err != nil {
		return nil, a.uncompiled(pkg.Path, err)
	}
	a.admit(suite)
	return suite, nil
}

// uncompiled prints the compiler's errors.
func (a *app) uncompiled(name string, err error) error {
	var broken *trial.CompileError
	if !errors.As(err, &broken) {
		return err
	}
	a.eraseProgress()
	for _, line := range strings.Split(broken.Says, "\n") {
		_, _ = fmt.Fprintln(a.stderr, clean(line)) // there is nobody left to tell
	}
	return lang.Errorf("%s: the go tool cannot compile its tests", name)
}

// admit makes the locks of a package known to stories and tokens.
func (a *app) admit(suite *trial.Suite) {
	a.suite, a.guests, a.sourceOf = suite, nil, suite.Source
	for _, l := range suite.Locks {
		scenarios.Register(l.ID, l.Subject())
		a.guests = append(a.guests, l.ID)
	}
}

// playOf plays a token with the lock that it names, or with the package's only
// lock, since the test may have been renamed.
func (a *app) playOf(cmd *cobra.Command, suite *trial.Suite, token string) error {
	config, schedule, err := history.ParseToken(token)
	if err != nil {
		return usage(cmd, "%w", err)
	}
	switch {
	case suite.Find(config.Strategy) != nil:
	case len(suite.Locks) == 1:
		config.Strategy = suite.Locks[0].ID
	default:
		return usage(cmd, "--token: it is of the lock %q, and the tests have %s", config.Strategy, lang.Names(a.guests))
	}
	token = history.Token(config, schedule)
	if a.interactive() {
		return a.walkReplay(cmd, token)
	}
	return a.replay(cmd, token, false, false)
}
