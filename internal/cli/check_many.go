package cli

import (
	"context"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"lockstep/internal/cache"
	"lockstep/internal/lang"
	"lockstep/internal/pieces"
	"lockstep/internal/trial"
	"lockstep/sim/explore"
)

// A row of the table at the end of a check of several packages: a lock, or a package
// without an answer.
type checkedRow struct{ pkg, lock, verdict, detail, took string }

// An openedPackage is a package with its compiled tests, or why they are not; and with what
// workers found, if they tried its locks.
type openedPackage struct {
	*trial.Suite
	err  error
	done *pieces.Whole
}

// checkMany checks the locks of several packages, one after the other or by workers, and
// ends with a table.
func (a *app) checkMany(cmd *cobra.Command, patterns []string, match *regexp.Regexp, f checkFlags, verdicts *cache.Verdicts) error {
	ctx := cmd.Context()
	packages, err := a.packages(ctx, patterns, match)
	if err != nil {
		return err
	}
	opened := make([]openedPackage, len(packages))
	open := func(i int) { opened[i].Suite, opened[i].err = a.compile(ctx, packages[i], match, verdicts) }
	if f.queue != "" {
		for i := range packages {
			open(i)
			if s := opened[i].Suite; s != nil {
				defer s.Close()
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
		}
		if err := a.checkQueued(cmd, opened, f); err != nil {
			return err
		}
	}
	var all []tried
	var rows []checkedRow
	broken, ended := 0, false
	left := func(pkg *trial.Package) {
		broken++
		rows = append(rows, checkedRow{pkg: pkg.Path, verdict: "-", detail: a.in(lang.New("not checked"))})
	}
	for i, pkg := range packages {
		if ended { // only the package in which it ended says what of it was left out
			left(pkg)
			continue
		}
		if f.queue == "" {
			open(i)
		}
		checked, err := a.checkPackage(ctx, opened[i], f, verdicts)
		ended = f.queue == "" && f.ended(checked)
		all = append(all, checked...)
		if ctx.Err() != nil {
			return interrupted("check", i, len(packages))
		}
		if err != nil {
			a.complain(err)
			left(pkg)
		}
		for _, t := range checked {
			rows = append(rows, a.checkedRow(t))
		}
	}
	if !f.json {
		a.printTable(rows)
	}
	if err := a.writeReports(ctx, f, all); err != nil {
		return err
	}
	problems := problemsOf(all)
	if broken > 0 {
		problems = append(problems, lang.New("%d of %d packages not checked", broken, len(packages)))
	}
	return judgeProblems(problems)
}

// packages looks up the packages whose tests try locks, each once.
func (a *app) packages(ctx context.Context, patterns []string, match *regexp.Regexp) (all []*trial.Package, err error) {
	_, end := a.working(lang.New("%s: looking it up", strings.Join(patterns, " ")))
	defer end()
	known := map[string]bool{}
	for _, pattern := range patterns {
		found, err := trial.FindAll(ctx, pattern, match)
		if err != nil {
			return nil, a.uncompiled(pattern, err)
		}
		for _, pkg := range found {
			if !known[pkg.Dir] {
				known[pkg.Dir] = true
				all = append(all, pkg)
			}
		}
	}
	if len(all) == 0 {
		return nil, lang.Errorf("no test of the packages %s calls locktest.Check, or none that matches --run", strings.Join(patterns, " "))
	}
	return all, nil
}

// checkPackage tries the locks of one of several packages and prints what it finds.
func (a *app) checkPackage(ctx context.Context, p openedPackage, f checkFlags, verdicts *cache.Verdicts) ([]tried, error) {
	if p.err != nil {
		return nil, p.err
	}
	defer p.Close()
	a.admit(p.Suite)
	a.guestsOf, f.done = lang.Typed(near(p.Dir)), p.done
	all, err := a.tryAll(ctx, p.Suite, f, verdicts)
	if err != nil || f.json {
		return all, err
	}
	for _, t := range all {
		a.printTried(t)
		a.say("")
	}
	return all, a.out.Flush() // the next package takes its time
}

// near is the path of a folder from here, if it is below; else all of it.
func near(dir string) string {
	here, err := filepath.Abs(".")
	if err != nil {
		return dir
	}
	way, err := filepath.Rel(here, dir)
	if err != nil || strings.HasPrefix(way, "..") {
		return dir
	}
	return "./" + filepath.ToSlash(way)
}

// checkedRow sums the reports on a lock up.
func (a *app) checkedRow(t tried) checkedRow {
	worst, took := explore.Vacuous, time.Duration(0)
	var under []string
	for _, r := range t.reports {
		took += r.Took
		verdict := r.Verdict
		if r.Passes() && verdict == explore.Inconclusive {
			verdict = explore.Holds // accepted
		}
		switch {
		case trial.Worse(verdict, worst):
			worst, under = verdict, []string{r.Hazard}
		case verdict == worst && !r.Passes():
			under = append(under, r.Hazard)
		}
	}
	row := checkedRow{pkg: t.suite.Path, lock: t.Test, verdict: a.in(worst), took: took.Round(10 * time.Millisecond).String()}
	if worst == explore.Violated || worst == explore.Inconclusive {
		row.detail = strings.Join(under, ", ")
	}
	return row
}

// printTable prints a row for each lock.
func (a *app) printTable(rows []checkedRow) {
	cells := [][]string{{a.in(lang.New("package")), a.in(lang.New("lock")), a.in(lang.New("verdict")), a.in(lang.New("time")), a.in(lang.New("under"))}}
	for _, r := range rows {
		cells = append(cells, []string{r.pkg, r.lock, r.verdict, r.took, r.detail})
	}
	for _, line := range trial.Columns(cells) {
		a.say("%s", line)
	}
}
