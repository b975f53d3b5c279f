package cli

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"lockstep/internal/cache"
	"lockstep/internal/lang"
	"lockstep/internal/pieces"
	"lockstep/internal/trial"
	"lockstep/sim/explore"
)

type checkFlags struct {
	run               string // a regular expression for tests
	json, walk, watch bool
	fresh, exact      bool
	first             bool // end at the first violation
	token             string
	junit, sarif      string // files to write; "" for none
	cutFlags
	done *pieces.Whole // by parts; nil if it is to be done here
}

func (a *app) checkCommand() *cobra.Command {
	var f checkFlags
	cmd := &cobra.Command{
		Use:               "check [PACKAGE...]",
		ValidArgsFunction: completeFolder,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				args = []string{"."}
			}
			return a.check(cmd, args, f)
		},
	}
	takes(cmd, "run", &f.run, "json", &f.json, "walk", &f.walk, "watch", &f.watch, "first", &f.first, "exact", &f.exact, "fresh", &f.fresh)
	takesParts(cmd, &f.cutFlags)
	takes(cmd, "token", &f.token, "junit", &f.junit, "sarif", &f.sarif)
	return cmd
}

func (a *app) check(cmd *cobra.Command, names []string, f checkFlags) error {
	match, err := regexp.Compile(f.run)
	if err != nil {
		return usage(cmd, "--run: %w", err)
	}
	verdicts, err := a.openCache(f.fresh, false)
	if err != nil {
		return err
	}
	if len(names) > 1 || strings.HasSuffix(names[0], "...") {
		if err := only(cmd, false, lang.New("one package; use its folder"), "walk", "watch", "token", "part"); err != nil {
			return err
		}
		return a.checkMany(cmd, names, match, f, verdicts)
	}
	name := names[0]
	if f.watch {
		return a.watch(cmd.Context(), name, match)
	}
	suite, err := a.openSuite(cmd.Context(), name, match, verdicts)
	if err != nil {
		return err
	}
	defer suite.Close()
	if f.token != "" {
		return a.playOf(cmd, suite, f.token)
	}
	m := pieces.Machine{Memory: int(memoryFlag()), Try: a.tryIn(suite, f.exact)}
	return a.inParts(cmd, f.cutFlags, a.checkJob(suite, f), m, f.first, func(w *pieces.Whole) error {
		f.done = w
		return a.checkSuite(cmd.Context(), suite, f, verdicts)
	})
}

// A tried is a lock with its reports.
type tried struct {
	*trial.Lock
	suite   *trial.Suite
	reports []*trial.Report
}

// checkSuite tries all locks, prints or shows the reports, and turns them into the exit code.
func (a *app) checkSuite(ctx context.Context, suite *trial.Suite, f checkFlags, verdicts *cache.Verdicts) error {
	all, err := a.tryAll(ctx, suite, f, verdicts)
	if err != nil {
		return err
	}
	worst := worstOf(all, anyFound)
	shown := f.walk && worst != nil && ctx.Err() == nil
	if !f.json && !shown {
		suite.Close() // a reader that stops ends the process
		a.printAll(ctx, all)
	}
	if ctx.Err() != nil {
		done, of := 0, 0
		for _, t := range all {
			done += len(t.reports)
		}
		for _, l := range suite.Locks {
			of += len(l.Plan.Under())
		}
		return interrupted("check", done, of)
	}
	if shown {
		err = a.openFound(ctx, all, worst, nil)
	}
	return cmp.Or(err, a.writeReports(ctx, f, all), judgeTried(all))
}

// writeReports writes the reports to the files that the flags name.
func (a *app) writeReports(ctx context.Context, f checkFlags, all []tried) error {
	for _, file := range []struct {
		name string
		text func([]tried) ([]byte, error)
	}{{f.junit, junit}, {f.sarif, a.sarif}} {
		if file.name == "" {
			continue
		}
		text, err := file.text(all)
		if err == nil {
			err = a.write(ctx, file.name, text)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// tryAll tries one lock after the other until an interrupt.
func (a *app) tryAll(ctx context.Context, suite *trial.Suite, f checkFlags, verdicts *cache.Verdicts) (all []tried, err error) {
	defer limitMemory(memoryFlag())()
	if f.done != nil {
		verdicts = f.done.Verdicts()
	}
	for _, l := range suite.Locks {
		if f.done != nil && !slices.Contains(f.done.Job.Locks, l.ID) {
			continue
		}
		l.Plan.Exact = f.exact
		t, err := a.try(ctx, suite, l, f, verdicts, f.ended(all))
		if err != nil {
			return nil, err
		}
		all = append(all, t)
		if ctx.Err() != nil {
			break
		}
	}
	return all, nil
}

// ended reports whether --first has ended a check with these reports.
func (f *checkFlags) ended(all []tried) bool {
	return f.first && f.done == nil && worstOf(all, anyFound) != nil
}

// try tries a lock under each hazard, unless --first has ended the check before or ends
// it. After an interrupt it returns the reports so far.
func (a *app) try(ctx context.Context, suite *trial.Suite, l *trial.Lock, f checkFlags, verdicts *cache.Verdicts, ended bool) (tried, error) {
	out := tried{Lock: l, suite: suite}
	trial := a.newTrial(ctx, l, f.json, verdicts)
	defer trial.Close()
	if !f.first && f.done == nil {
		trial.First = l.Plan.Under()
	}
	for _, h := range l.Plan.Under() {
		r := trial.Skip(h, lang.New("--first ended the check"))
		if !ended && !f.ended([]tried{out}) && !f.done.Lacks(l.ID, h.ID) {
			r = trial.Try(ctx, h)
			a.eraseProgress()
			switch {
			case ctx.Err() != nil:
				return out, nil
			case trial.Unready != nil && !trial.Shares():
				return out, trial.Unready
			}
		}
		out.reports = append(out.reports, r)
		if f.json {
			if err := a.checked(suite, l, r); err != nil {
				return out, err
			}
		}
	}
	return out, nil
}

func (a *app) newTrial(ctx context.Context, l *trial.Lock, asJSON bool, verdicts *cache.Verdicts) *trial.Trial {
	t := trial.New(ctx, l.Plan, l.Limit, l.ID, l.Subject())
	t.Host, t.Ready, t.Cache = l.Host(), l.Host().Ready, verdicts
	t.Progress = func(hazard string) func(explore.Progress) { return a.exploreProgress(l.Test + ", " + hazard) }
	if !asJSON { // in English, as for all commands
		t.Book = a.book
	}
	return t
}

// checked prints a report as a line of JSON.
func (a *app) checked(suite *trial.Suite, l *trial.Lock, r *trial.Report) error {
	return a.object(checkRow{2, suite.Path, l.Test, l.ID, r.Passes(), *r, sinceRow(r.Explored.Since)}, "")
}

// A checkRow is one lock under one hazard, as check --json prints it; see
// docs/verdict.schema.json.
type checkRow struct {
	Schema  int    `json:"schema"`
	Package string `json:"package"`
	Test    string `json:"test"`
	Lock    string `json:"lock"`
	Passes  bool   `json:"passes"`
	trial.Report
	Cached string `json:"cached,omitempty"` // when it was computed, if not just now
}

// worstOf returns the report with the violation that takes the fewest faults,
// and then the fewest actions, among those that match and are new; nil if there is
// none.
func worstOf(all []tried, meant func(trial.Found) bool) *trial.Report {
	var worst *trial.Report
	var least []int
	for _, t := range all {
		for _, r := range t.reports {
			for _, f := range r.Found {
				if cost := []int{f.Faults, f.Steps}; f.New() && meant(f) && (worst == nil || slices.Compare(cost, least) < 0) {
					worst, least = r, cost
				}
			}
		}
	}
	return worst
}

func anyFound(trial.Found) bool { return true }

// judgeTried turns the reports into the exit code.
func judgeTried(all []tried) error { return judgeProblems(problemsOf(all)) }

func judgeProblems(problems []any) error {
	if len(problems) == 0 {
		return nil
	}
	return unexpected(lang.Errorf("%s: %v", "check", lang.Join(", ", problems...)))
}

// problemsOf counts what the exit code is about.
func problemsOf(all []tried) []any {
	hazards, violated, inconclusive, skipped, unneeded := 0, 0, 0, 0, 0
	for _, t := range all {
		unneeded += len(t.Plan.Unneeded(t.reports))
		for _, r := range t.reports {
			hazards++
			switch {
			case r.Passes():
			case r.Verdict == explore.Violated:
				violated++
			case r.Skipped:
				skipped++
			default:
				inconclusive++
			}
		}
	}
	var problems []any
	if violated > 0 {
		problems = append(problems, lang.New("%d of %d %v", violated, hazards, explore.Violated))
	}
	if inconclusive > 0 {
		problems = append(problems, lang.New("%d of %d %v", inconclusive, hazards, explore.Inconclusive))
	}
	if skipped > 0 {
		problems = append(problems, lang.New("%d of %d not explored", skipped, hazards))
	}
	if len(problems) == 0 && unneeded > 0 {
		problems = append(problems, lang.Count(unneeded, "%d allowance is not needed", "%d allowances are not needed"))
	}
	return problems
}
