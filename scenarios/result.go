package scenarios

import (
	"slices"
	"unicode/utf8"

	"lockstep/internal/lang"
	"lockstep/sim/history"
	"lockstep/sim/program"
)

// A Result is what became of a story, or of a part of it.
type Result struct {
	History    history.History
	Beats      []Beat              // one for each step that was run
	Violations []history.Violation // in the order of their events
	// Consequence says what became of the resource: "sold 2 of 1".
	Consequence lang.Message
	// Skipped lists the commands that the lock gave no occasion for; only a
	// story that is played against another lock than its own has any.
	Skipped []string
	// Undecided says why an invariant could not be decided; none if all were.
	Undecided lang.Message
	// Stuck is why, where code of a lock did not come to the seam.
	Stuck *program.StuckError

	replays  []*Result // against other locks, as the story asks for them
	recovery recovery
	drift    history.Millis // see LiveResult
	notLive  bool           // it could not be played where it should have been
}

// A Beat is one step of a story in a run: the events that it led to and what
// it printed.
type Beat struct {
	Step     *Step // its predictions have the run's answers
	From, To int   // its events: Events[From:To]
	Output   []history.Line
	Skipped  bool // the lock gave no occasion for it, or not for all of it
	Missed   bool // the moment until which a client was to run did not come
}

// written is what the step printed, as stories have it.
func (b Beat) written() []string {
	var lines []string
	for _, l := range b.Output {
		lines = append(lines, written(l))
	}
	return lines
}

// Asks returns the predictions of the step that the run decides.
func (b Beat) Asks() []Prediction {
	return slices.DeleteFunc(slices.Clone(b.Step.Predict), func(p Prediction) bool { return p.Answer == "" })
}

// Mismatch says where the output of a run is not what the story expects; nil
// if everything is.
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

// Mispredicted says which prediction of the story the run answers otherwise than
// its author does, or not at all; nil if none.
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

// Contradiction is Mismatch, of the steps below which anything is expected.
func (r *Result) Contradiction(s *Story) *Error {
	said := *r
	said.Beats = slices.DeleteFunc(slices.Clone(r.Beats), func(b Beat) bool { return len(b.Step.Expected) == 0 })
	return said.Mismatch(s)
}

// Judged are the violations that the checks find below which nothing is expected.
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

// Missed lists the steps for which the lock gave no occasion, or not for all of
// them. None says that so it was with all that a story of its kind is about: faults,
// time, and moments before or after a command.
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

// Told returns the story as this run has played it: its predictions have the
// run's answers, and those that it does not decide are left out.
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

// Outputs returns what each step printed, for Story.Rewrite.
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

// StepOf numbers the step, from 1, that led to an event.
func (r *Result) StepOf(seq int) int {
	for i, b := range r.Beats {
		if seq < b.To {
			return i + 1
		}
	}
	return len(r.Beats)
}
