package cli

import (
	"context"
	"slices"

	"lockstep/internal/explain"
	"lockstep/internal/lesson"
	"lockstep/internal/prose"
	"lockstep/scenarios"
	"lockstep/sim/history"
	"lockstep/strategies"
)

// A transcript prints a run as plain text for screen readers: no borders, no
// columns, one fact a line.
type transcript struct {
	*app
	ctx  context.Context // ends replays
	told map[string]bool // what has been explained: invariants with the kinds of their causes

	explainer *explain.Run // of the run whose first event is explains
	explains  *history.Event
	unpaid    []cost // costs that are not printed yet
	// step returns the number of the story's command that led to an event; nil
	// without a story.
	step func(seq int) int

	unplayed error // of the explorations so far
}

func (a *app) transcript(ctx context.Context) transcript {
	return transcript{app: a, ctx: ctx, told: map[string]bool{}}
}

// story prints a run from the given step on.
func (t *transcript) story(s *scenarios.Story, lock string, r *scenarios.Result, from int) {
	own := lock == s.Strategy()
	_, taught := strategies.Find(lock)
	t.say("%s", s.Title(t.book))
	t.lock(lock)
	if !own {
		t.fact(t.book.Text("own_lock"), s.Strategy())
	}
	t.step = r.StepOf
	for i, beat := range r.Beats {
		if i+1 >= from {
			t.beat(i+1, len(s.Steps), beat, r)
		}
	}
	t.say("")
	switch {
	case len(r.Violations) == 0:
		t.say("%s", t.book.Text("no_violation"))
	case own && taught:
		t.say("%s", t.book.Text("meant_to_fail_after"))
	}
	t.ending(r)
}

// fact prints a labelled line, unless the text is empty.
func (t *transcript) fact(label, text string) {
	if text != "" {
		t.say("%s", t.book.Pair(label, text))
	}
}

func (t *transcript) lock(id string) {
	info, known := strategies.Find(id)
	if !known {
		t.fact(t.book.Text("lock"), id)
		return
	}
	t.fact(t.book.Text("lock"), t.book.List(id, t.book.Lock(id).Name))
	t.fact(t.book.Text("file"), "strategies/"+info.File)
}

func (t *transcript) beat(n, steps int, b scenarios.Beat, r *scenarios.Result) {
	t.say("")
	t.say("%s", t.book.Fill("step_of", prose.TextFacts{Step: n, Steps: steps}))
	if caption := b.Step.Caption(t.book, t.lang); caption != "" {
		t.say("%s", caption)
	}
	for _, p := range b.Questions {
		t.say("%s", t.book.Text("predict"))
		t.fact(t.book.Text("question"), p.Ask(t.lang))
	}
	t.fact(t.book.Text("command"), b.Step.Text)
	for _, line := range b.Output {
		t.say("%s", scenarios.PlainLine(t.book, line))
	}
	for _, p := range b.Questions {
		t.answer(&p)
	}
	if b.Step.Replays() {
		return
	}
	for _, v := range r.Violations {
		verdict := scenarios.VerdictIn(t.book, v)
		if slices.ContainsFunc(b.Output, func(l history.Line) bool {
			return l.Broken != nil && l.Broken.Seq == v.Seq && scenarios.VerdictIn(t.book, *l.Broken) == verdict
		}) {
			t.explain(r.History, v, b.To)
		}
	}
	t.costs(b.To)
}

// answer prints the right answer and the reasons.
func (t *transcript) answer(p *scenarios.Prediction) {
	q := lesson.QuestionOf(t.book, t.lang, p)
	t.fact(t.book.Text("answer"), q.Answer().Label)
	for _, reason := range q.Reasons("") {
		t.fact(reason.Label, reason.Text)
	}
}

func (t *transcript) ending(r *scenarios.Result) {
	t.fact(t.book.Text("consequence"), r.Consequence.In(t.book.Language()))
	t.fact(t.book.Text("replay_token"), history.Token(r.History.Config, r.History.Schedule))
}

// replay prints a run without a story: its events, then each invariant.
func (t *transcript) replay(r *scenarios.Result) {
	h := r.History
	t.say("%s", t.book.Text("replay"))
	t.lock(h.Config.Strategy)
	t.fact(t.book.Text("world"), h.Config.String())
	t.fact(t.book.Text("schedule"), h.Schedule.String())
	t.say("")
	t.events(r)
	t.say("")
	for _, id := range history.Invariants() {
		if !h.Judges(id) {
			continue
		}
		if id == history.LockRecovers && !r.Undecided.None() {
			t.say("%s", r.Undecided.In(t.book.Language()))
			continue
		}
		t.verdict(id, r)
	}
	t.ending(r)
}

// events prints the events of a run, with each violation below its event.
func (t *transcript) events(r *scenarios.Result) {
	for _, l := range r.Lines() {
		t.say("%s", scenarios.PlainLine(t.book, l))
	}
}

func (t *transcript) verdict(id string, r *scenarios.Result) {
	violated := false
	for _, v := range r.Violations {
		if v.Invariant == id {
			t.say("%s", scenarios.VerdictIn(t.book, v))
			violated = true
		}
	}
	if !violated {
		t.say("%s", t.book.Gap("not_violated", t.book.Named(id)))
		return
	}
	for _, v := range r.Violations {
		if v.Invariant == id {
			t.explain(r.History, v, len(r.History.Events))
		}
	}
}
