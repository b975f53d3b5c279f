package scenarios

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strings"

	"lockstep/internal/lang"
	"lockstep/internal/prose"
	"lockstep/sim/history"
	"lockstep/sim/world"
)

// Reproduce plays a schedule so many times. It returns the run and its violation of
// the invariant, or an error unless each run violates it and all histories are
// equal to the byte.
func Reproduce(ctx context.Context, config history.Config, schedule history.Schedule, invariant string, times int) (first *Result, broken history.Violation, err error) {
	first, err = Replay(ctx, config, schedule)
	if err == nil && first.Stuck != nil {
		err = first.Stuck
	}
	var want, got bytes.Buffer
	violated := false
	if err == nil {
		broken, violated = first.Violation(invariant)
		err = history.WriteJSON(&want, first.History)
	}
	for n := 1; ; n++ {
		switch {
		case err != nil:
			return nil, broken, lang.Errorf("run %d of %d: %w", n, times, err)
		case !violated:
			return nil, broken, lang.Errorf("run %d of %d does not violate %s", n, times, invariant)
		case n > 1 && !bytes.Equal(got.Bytes(), want.Bytes()):
			return nil, broken, lang.Errorf("run %d of %d differs from the first", n, times)
		case n == times:
			return first, broken, nil
		}
		got.Reset()
		violated, err = violatesAgain(ctx, config, schedule, invariant, &got)
	}
}

// violatesAgain plays a schedule once more, writes its history, and reports whether it violates an
// invariant. Since when a lock does not recover, which takes several replays, is not asked.
func violatesAgain(ctx context.Context, config history.Config, schedule history.Schedule, invariant string, to io.Writer) (violated bool, err error) {
	r, err := replayed(ctx, config, schedule, nil)
	if err != nil {
		return false, err
	}
	defer r.w.Close()
	if err := history.WriteJSON(to, r.w.History()); err != nil {
		return false, err
	}
	switch invariant {
	case history.LockRecovers:
		recovers, _, err := world.Recovers(ctx, r.config, r.subject, schedule)
		return !recovers && err == nil, err
	case history.LostWakeup:
		v, err := world.LostWakeup(ctx, r.config, r.subject, schedule)
		return v != nil, err
	}
	return history.FirstOf(r.Violations, invariant) >= 0, nil
}

// Replay plays a configuration and a schedule, as a token holds them. For ctx see
// Run.
func Replay(ctx context.Context, config history.Config, schedule history.Schedule) (*Result, error) {
	return ReplayIf(ctx, config, schedule, nil)
}

// ReplayIf is Replay, but ends with the error that refuses returns before an action. A nil
// refuses returns none.
func ReplayIf(ctx context.Context, config history.Config, schedule history.Schedule, refuses func(w *world.World, next int) error) (*Result, error) {
	r, err := replayed(ctx, config, schedule, func(r *runner, next int) error {
		if refuses == nil {
			return nil
		}
		return refuses(r.w, next)
	})
	if err != nil {
		return nil, err
	}
	defer r.w.Close()
	if err := r.checkRecovery(); err != nil {
		return nil, err
	}
	return r.result(), nil
}

// FromSchedule writes a story for a configuration and a schedule: one command for
// each action and a check at the end, with the output of a run below each. For ctx
// see Run.
func FromSchedule(ctx context.Context, name string, config history.Config, s history.Schedule) (*Story, error) {
	story := &Story{Name: name, Path: name + ".txt"}
	add := func(c command) {
		at := len(story.lines) + 2
		story.lines = append(story.lines, c.String(), divider, "")
		story.Steps = append(story.Steps, Step{Line: at - 1, Text: c.String(), command: c, from: at, to: at})
	}
	add(command{name: "world", world: config})
	for _, a := range s {
		if !slices.Contains(history.Verbs(), a.Verb) {
			return nil, lang.Errorf("no command of a story says %q", a.Verb)
		}
		add(actionCommand(a))
	}
	add(command{name: "check"})
	if err := checkText(story.Source()); err != nil {
		return nil, err
	}
	result, err := Run(ctx, story)
	if err != nil {
		return nil, err
	}
	played, err := story.Rewrite(result.Outputs())
	if err != nil {
		return nil, err
	}
	check := strings.LastIndex(played, "\ncheck\n"+divider) + 1
	played = "# " + summary(english(), result, len(s)) + "\n" + played[:check] + "# " + english().Text("schedule_end") + "\n" + played[check:]
	if story, err = Parse(story.Path, name, played); err != nil {
		return nil, err
	}
	story.Generated = true
	first, last := &story.Steps[0], &story.Steps[len(s)+1]
	for _, language := range prose.Languages() { // beside its text, which is in English
		book := prose.Load(language)
		first.Captions[language], last.Captions[language] = summary(book, result, len(s)), book.Text("schedule_end")
	}
	return story, nil
}

// summary is the first caption: what the schedule leads to.
func summary(b *prose.Book, r *Result, actions int) string {
	var broken []string
	for _, id := range history.Invariants() {
		if history.FirstOf(r.Violations, id) >= 0 {
			broken = append(broken, b.InvariantName(id))
		}
	}
	if len(broken) == 0 {
		return b.Count("schedule_holds", actions)
	}
	return b.Fill("schedule_violates", prose.TextFacts{N: actions, What: b.Names(broken...)})
}

// Superfluous returns the actions that a schedule does not need: without each of
// them, and without all of them, it reaches the target all the same, within the
// rules of a level if there is one. It is greedy, so the rest need not be the shortest
// schedule.
func Superfluous(ctx context.Context, config history.Config, s history.Schedule, target Target, level *Level) ([]int, error) {
	var out []int
	without := func(left ...int) (bool, error) {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		var rest history.Schedule
		for i, a := range s {
			if !slices.Contains(left, i) {
				rest = append(rest, a)
			}
		}
		// A schedule that is no longer possible shows that the actions are needed.
		broken, err := reaches(ctx, config, rest, target, level)
		return err == nil && broken, ctx.Err()
	}
	for i := len(s) - 1; i >= 0; i-- {
		alone, err := without(i)
		if alone && len(out) > 0 {
			alone, err = without(append(slices.Clone(out), i)...)
		}
		if err != nil {
			return nil, err
		}
		if alone {
			out = append(out, i)
		}
	}
	for _, c := range config.Clients { // what no move alone shows: a client may not be needed at all
		all := slices.Clone(out)
		for i, a := range s {
			if a.Client == c && !slices.Contains(all, i) {
				all = append(all, i)
			}
		}
		if len(all) == len(out) {
			continue
		}
		idle, err := without(all...)
		if err != nil {
			return nil, err
		}
		if idle {
			out = all
		}
	}
	slices.Sort(out)
	return out, nil
}

// ReachedBy reports whether a schedule reaches the level's target. A schedule that its
// rules do not allow is an error.
func (l *Level) ReachedBy(ctx context.Context, s history.Schedule) (bool, error) {
	return reaches(ctx, l.Config, s, l.Target, l)
}

// reaches reports whether a schedule reaches a target within the rules of a level, if
// there is one.
func reaches(ctx context.Context, config history.Config, s history.Schedule, target Target, level *Level) (bool, error) {
	r, err := replayed(ctx, config, s, level.refuses(s))
	if err != nil {
		return false, err
	}
	defer r.w.Close()
	if history.Tried(target.Goal) {
		if err := r.checkRecovery(); err != nil {
			return false, err
		}
	}
	return target.Reached(r.Violations), nil
}
