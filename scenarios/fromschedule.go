package scenarios

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"lockstep/internal/lang"
	"lockstep/sim/history"
)

// FromSchedule makes a story of a configuration and a schedule: one command for
// each action, and a check in the end, with the output of a run as what it
// expects. For ctx see Run.
func FromSchedule(ctx context.Context, name string, config history.Config, s history.Schedule) (*Story, error) {
	story := &Story{Name: name, Path: name + ".txt", Made: true}
	add := func(c command) { story.Steps = append(story.Steps, Step{Text: c.String(), command: c}) }
	add(command{name: "world", world: config})
	for _, a := range s {
		if !slices.Contains(history.Verbs(), a.Verb) {
			return nil, lang.Errorf("no command of a story says %q", a.Verb)
		}
		add(acting(a))
	}
	add(command{name: "check"})
	if err := story.write(); err != nil { // so that a mistake has a place
		return nil, err
	}
	result, err := Run(ctx, story)
	if err != nil {
		return nil, err
	}
	for i, out := range result.Outputs() {
		story.Steps[i].Expected = out
	}
	story.Steps[0].Captions = map[string]string{"en": told(result, len(s))}
	story.Steps[len(s)+1].Captions = map[string]string{"en": "What became of it."}
	return story, story.write()
}

// told is the caption of the whole: what the schedule leads to.
func told(r *Result, actions int) string {
	var broken []string
	for _, id := range history.Invariants() {
		if slices.ContainsFunc(r.Violations, func(v history.Violation) bool { return v.Invariant == id }) {
			broken = append(broken, id)
		}
	}
	if len(broken) == 0 {
		return fmt.Sprintf("A schedule of %d actions. It violates nothing.", actions)
	}
	return fmt.Sprintf("A schedule of %d actions that violates %s.", actions, strings.Join(broken, ", "))
}
