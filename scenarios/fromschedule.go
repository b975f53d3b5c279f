package scenarios

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"lockstep/sim/history"
)

// FromSchedule writes a configuration and a schedule as a story, one command
// an action, with the output of a run as what it expects. Its last command is
// check. For ctx see Run.
func FromSchedule(ctx context.Context, name string, config history.Config, s history.Schedule) (*Story, error) {
	text, err := draft(config, s)
	if err != nil {
		return nil, err
	}
	path := name + ".txt"
	story, err := Parse(path, name, text)
	if err != nil {
		return nil, err
	}
	result, err := Run(ctx, story)
	if err != nil {
		return nil, err
	}
	story, err = Parse(path, name, told(result, len(s))+story.Rewrite(result.Outputs()))
	if err != nil {
		return nil, err
	}
	for i, out := range result.Outputs() {
		if !slices.Equal(out, story.Steps[i].Expected) {
			return nil, fmt.Errorf("%s: the output of line %d cannot stand in a file", path, story.Steps[i].Line)
		}
	}
	return story, nil
}

// Source is the story's text, as a file holds it.
func (s *Story) Source() string { return strings.TrimRight(strings.Join(s.lines, "\n"), "\n") + "\n" }

// draft writes a schedule as a story that expects nothing yet.
func draft(config history.Config, s history.Schedule) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "world %s\n%s\n", config, divider)
	for _, a := range s {
		command, err := commandFor(a)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "\n%s\n%s\n", command, divider)
	}
	fmt.Fprintf(&b, "\n# What became of it.\ncheck\n%s\n", divider)
	return b.String(), nil
}

// told is the caption of the whole: what the schedule leads to.
func told(r *Result, actions int) string {
	var broken []string
	for _, id := range history.Invariants {
		if slices.ContainsFunc(r.Violations, func(v history.Violation) bool { return v.Invariant == id }) {
			broken = append(broken, id)
		}
	}
	if len(broken) == 0 {
		return fmt.Sprintf("# A schedule of %d actions. It violates nothing.\n", actions)
	}
	return fmt.Sprintf("# A schedule of %d actions that violates %s.\n", actions, strings.Join(broken, ", "))
}

// commandFor writes an action as a story does.
func commandFor(a history.Action) (string, error) {
	who := a.Who()
	if a.Node != "" && a.Verb != history.Jump && a.Verb != history.Rate {
		return nodeCommand(a), nil
	}
	switch a.Verb {
	case history.Step, history.Send, history.Arrive, history.Late, history.Crash, history.Hang:
		return string(a.Verb) + " " + who, nil
	case history.LoseRequest:
		return "lose request " + who, nil
	case history.LoseReply:
		return "lose reply " + who, nil
	case history.Jump:
		if a.By > 0 {
			return fmt.Sprintf("clock %s +%v", who, a.By), nil
		}
		return fmt.Sprintf("clock %s %v", who, a.By), nil
	case history.Rate:
		return fmt.Sprintf("clock %s rate=%s", who, strconv.FormatFloat(float64(a.By)/1000, 'f', -1, 64)), nil
	case history.Flush:
		return "flush", nil
	case history.Advance:
		return fmt.Sprintf("advance %v", a.By), nil
	case history.Tick:
		return "advance next", nil
	}
	return "", fmt.Errorf("no command of a story says %q", a.Verb)
}
