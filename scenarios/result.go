package scenarios

import (
	"slices"
	"unicode/utf8"

	"lockstep/internal/lang"
	"lockstep/sim/history"
	"lockstep/sim/program"
)

// A Result is the result of a story, or of a part of it.
type Result struct {
	History    history.History
	Beats      []Beat              // one for each step that ran
	Violations []history.Violation // in the order of their events
	// Consequence is the effect on the resource: "sold 2 of 1".
	Consequence lang.Message
	// Skipped lists the commands that were impossible with this lock. Only a run
	// with another lock than the story's own has any.
	Skipped []string
	// Undecided is why an invariant could not be decided; none if all were.
	Undecided lang.Message
	// Stuck is the error if a lock's code did not reach the seam.
	Stuck *program.StuckError

	replays  []*Result // runs of the story's replay commands
	recovery recovery
	drift    history.Millis // see LiveResult
	notLive  bool           // it could not be played on real servers
}

// A Beat is a step of a story in a run: its events and its output.
type Beat struct {
	Step     *Step // its predictions have the run's answers
	From, To int   // its events: Events[From:To]
	Output   []history.Line
	Skipped  bool // it was impossible with this lock, at least in part
	Missed   bool // the moment of its until= was not reached
}

// written is the step's output as a story contains it.
func (b Beat) written() []string {
	var lines []string
	for _, l := range b.Output {
		lines = append(lines, written(l))
	}
	return lines
}

// Asks returns the step's predictions that the run decides.
func (b Beat) Asks() []Prediction {
	return slices.DeleteFunc(slices.Clone(b.Step.Predict), func(p Prediction) bool { return p.Answer == "" })
}

// Mismatch returns where the output of a run first differs from what the story
// expects; nil if nowhere.
func (r *Result) Mismatch(s *Story) *Error {
	for _, b := range r.Beats {
		if b.Step.bare {
			return &Error{Path: s.Path, Line: b.Step.Line, Col: 1 + utf8.RuneCountInString(b.Step.Text), Err: lang.Errorf("%s and what comes is missing below the command; --update writes it", divider)}
		}
		output := b.written()
		for i := range max(len(output), len(b.Step.Expected)) {
			got, want := line(output, i), line(b.Step.Expected, i)
			if got != want {
				return &Error{Path: s.Path, Line: b.Step.from + i + 1, Col: 1, Err: lang.Errorf("expected %q, got %q", want, got)}
			}
		}
	}
	return nil
}

// Mispredicted returns the first prediction that the run answers otherwise than
// its author, or not at all; nil for none.
func (r *Result) Mispredicted(s *Story) *Error {
	for _, b := range r.Beats {
		for _, p := range b.Step.Predict {
			var problem error
			switch {
			case p.Answer == "":
				problem = lang.Errorf("the run does not decide %s: nothing of the kind happens at %q", p.Fact, b.Step.Text)
			case p.Key != "" && p.Key != p.Answer:
				problem = lang.Errorf("the key says %s = %s, and the run says %s = %s", p.Fact, p.Key, p.Fact, p.Answer)
			case len(p.reasons) > 0 && p.reason(p.Answer) < 0:
				problem = lang.Errorf("the run says %s = %s, and no because is about that", p.Fact, p.Answer)
			default:
				continue
			}
			return &Error{Path: s.Path, Line: p.line + 1, Col: 1, Err: problem}
		}
	}
	return nil
}

// Contradiction is Mismatch for the steps that expect any output.
func (r *Result) Contradiction(s *Story) *Error {
	said := *r
	said.Beats = slices.DeleteFunc(slices.Clone(r.Beats), func(b Beat) bool { return len(b.Step.Expected) == 0 })
	return said.Mismatch(s)
}

// Judged returns the violations that checks without expected output find.
func (r *Result) Judged() (found []history.Violation) {
	for _, b := range r.Beats {
		for _, l := range b.Output {
			if b.Step.name == "check" && len(b.Step.Expected) == 0 && l.Broken != nil {
				found = append(found, *l.Broken)
			}
		}
	}
	return found
}

// Missed lists the steps that were impossible with this lock, at least in part.
// none reports whether that is so for everything special about the story:
// faults, time, and moments before or after a command.
func (r *Result) Missed() (missed []string, none bool) {
	none = true
	for _, b := range r.Beats {
		switch {
		case b.Skipped || b.Missed:
			missed = append(missed, b.Step.Text)
		case b.Step.special():
			none = false
		}
	}
	return missed, none && len(missed) > 0
}

// Told returns the story with the run's answers to its predictions, without
// those that the run does not decide.
func (r *Result) Told(s *Story) *Story {
	told := *s
	told.Steps = slices.Clone(s.Steps)
	for i, b := range r.Beats {
		told.Steps[i].Predict = b.Asks()
	}
	return &told
}

func line(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return ""
}

// Outputs returns the output of each step, for Story.Rewrite.
func (r *Result) Outputs() [][]string {
	outputs := make([][]string, len(r.Beats))
	for i, b := range r.Beats {
		outputs[i] = b.written()
	}
	return outputs
}

// Lines is the transcript of the whole run.
func (r *Result) Lines() []history.Line {
	return transcript(r.History.Events, r.History.Nodes, r.Violations)
}

// StepOf returns the number, from 1, of the step that led to an event.
func (r *Result) StepOf(seq int) int {
	for i, b := range r.Beats {
		if seq < b.To {
			return i + 1
		}
	}
	return len(r.Beats)
}
