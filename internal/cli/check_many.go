package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"lockstep/internal/cache"
	"lockstep/internal/lang"
	"lockstep/internal/trial"
	"lockstep/sim/explore"
)

// A row of the table at the end of a check of several packages: a lock, or a package
// without an answer.
type checkedRow struct{ pkg, lock, verdict, detail, took string }

// checkMany checks the locks of several packages, one after the other, and ends with a
// table.
func (a *app) checkMany(ctx context.Context, patterns []string, match *regexp.Regexp, f checkFlags, verdicts *cache.Verdicts) error {
	packages, err := a.packages(ctx, patterns, match)
	if err != nil {
		return err
	}
	var all []tried
	var rows []checkedRow
	broken := 0
	for i, pkg := range packages {
		checked, err := a.checkOne(ctx, pkg, match, f, verdicts)
		all = append(all, checked...)
		if ctx.Err() != nil {
			return interrupted("check", i, len(packages))
		}
		if err != nil {
			broken++
			a.complain(err)
			rows = append(rows, checkedRow{pkg: pkg.Path, verdict: "-", detail: a.in(lang.New("not checked"))})
		}
		for _, t := range checked {
			rows = append(rows, a.checkedRow(t))
		}
	}
	if !f.json {
		a.printTable(rows)
	}
	if err := a.writeReports(f, all); err != nil {
		return err
	}
	problems := problemsOf(all)
	if broken > 0 {
		problems = append(problems, lang.New("%d of %d packages not checked", broken, len(packages)))
	}
	return judgeProblems(problems)
}

// complain prints an error and goes on.
func (a *app) complain(err error) {
	_, _ = fmt.Fprintf(a.stderr, "lockstep: %s\n", clean(a.in(err))) // there is nobody left to tell
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

// checkOne tries the locks of a package and prints what it finds.
func (a *app) checkOne(ctx context.Context, pkg *trial.Package, match *regexp.Regexp, f checkFlags, verdicts *cache.Verdicts) ([]tried, error) {
	a.guestsOf = near(pkg.Dir)
	suite, err := a.compile(ctx, pkg, match, verdicts)
	if err != nil {
		return nil, err
	}
	defer suite.Close()
	all, err := a.tryAll(ctx, suite, f, verdicts)
	if err == nil && !f.json {
		for _, t := range all {
			a.printTried(t)
			a.say("")
		}
		err = a.out.Flush() // the next package takes its time
	}
	return all, err
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
