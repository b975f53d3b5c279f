package scenarios

import (
	"slices"
	"unicode/utf8"

	"lockstep/internal/lang"
	"lockstep/sim/history"
	"lockstep/sim/program"
)

// SourceOf is program.Source.
func SourceOf(file string, other func(string) (string, error)) (string, error) {
	return program.Source(file, other)
}

// A Result is the result of a story, or of a part of it.
type Result struct {
	History    history.History
	Beats      []Beat              // one for each step played
	Violations []history.Violation // in the order of their events
	// Consequence is the state of the resource: "sold 2 of 1".
	Consequence lang.Message
	// Skipped lists the commands that were not possible. Only a story that is played
	// with another lock than its own has any.
	Skipped []string
	// Undecided explains why an invariant could not be decided; none if all were.
	Undecided lang.Message
	// Stuck is the cause of that, if code of a lock did not reach the seam.
	Stuck *program.StuckError

	replays  []*Result // against other locks, as the story asks; nil for one that was left out
	recovers *bool     // see stage.ask
}

// A Beat is one step of a story in a run, with its events and its output.
type Beat struct {
	Step      *Step          // with the run's answers to its predictions
	Questions []Prediction   // the predictions that the run decides
	From, To  int            // its events: Events[From:To]
	Lines     []history.Line // the transcript of its events
	Output    []history.Line // these, the violations, and what the step printed
	Skipped   bool           // the step, or a part of it, was not possible
	Missed    bool           // the moment of its until= did not come
}

// written is the output of the step as stories show it.
func (b Beat) written() []string {
	var lines []string
	for _, l := range b.Output {
		lines = append(lines, written(l))
	}
	return lines
}

// Mismatch reports the first difference between the output and what the story
// expects; nil if there is none.
func (r *Result) Mismatch(s *Story) *Error {
	for _, b := range r.Beats {
		if b.Step.bare {
			return &Error{Path: s.Path, Line: b.Step.Line, Col: 1 + utf8.RuneCountInString(b.Step.Text), Err: lang.Errorf("%s and what comes is missing below the command; --update writes it", divider)}
		}
		output := b.written()
		for i := range max(len(output), len(b.Step.Expected)) {
			got, want := line(output, i), line(b.Step.Expected, i)
			if got != want {
				return lang.At(s.Path, b.Step.from+i+1, lang.Errorf("expected %q, got %q", want, got))
			}
		}
	}
	return nil
}

// Mispredicted reports the first prediction that the run does not decide or answers
// otherwise than its author; nil if there is none.
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
			return lang.At(s.Path, p.line+1, problem)
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

// Unexpected returns the violations found by checks that expect no output.
func (r *Result) Unexpected() (found []history.Violation) {
	for _, b := range r.Beats {
		for _, l := range b.Output {
			if b.Step.name == "check" && len(b.Step.Expected) == 0 && l.Broken != nil {
				found = append(found, *l.Broken)
			}
		}
	}
	return found
}

// Missed lists the steps that were not possible, or only in part. none reports
// whether that holds for every fault, passing of time and moment before or after a
// command: the run then shows nothing of the story.
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
	return withViolations(history.Lines(r.History.Events, r.History.Nodes), r.Violations)
}

// Violation returns the first violation of an invariant, if there is one.
func (r *Result) Violation(invariant string) (v history.Violation, ok bool) {
	i := history.FirstOf(r.Violations, invariant)
	if i < 0 {
		return v, false
	}
	return r.Violations[i], true
}

// StepOf returns the number of the step, from 1, that led to an event.
func (r *Result) StepOf(seq int) int {
	for i, b := range r.Beats {
		if seq < b.To {
			return i + 1
		}
	}
	return len(r.Beats)
}
