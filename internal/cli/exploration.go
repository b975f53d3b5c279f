package cli

import (
	"context"
	"errors"
	"slices"
	"time"

	"lockstep/internal/lang"
	"lockstep/scenarios"
	"lockstep/sim/explore"
	"lockstep/sim/history"
	"lockstep/sim/program"
)

// An exploration is a report, of a hunt too, with the run of its first violation.
type exploration struct {
	explore.Report
	first  *explore.Found    // nil if nothing was found
	run    *scenarios.Result // of that; nil if there is none, or if unplayed is set
	broken history.Violation // the same violation, in that run
	// unplayed is the error if code got stuck when it was played.
	unplayed error
	took     time.Duration
	with     enlargement    // of a larger world
	larger   []*exploration // of the usual world
	leftOut  bool           // by --first
}

// replays is how often a schedule is replayed before it is reported.
const replays = 10

// examine replays the first counterexample of a report. The report survives if code
// gets stuck in the replay; ctx ends the wait.
func examine(ctx context.Context, report explore.Report) (e *exploration, err error) {
	e = &exploration{Report: report}
	if e.first = e.First(); e.first == nil {
		return e, nil
	}
	e.run, e.broken, err = scenarios.Reproduce(ctx, report.Config, e.first.Schedule, e.first.Violation.Invariant, replays)
	if err == nil {
		return e, nil
	}
	told := lang.Errorf("%s, %s: %w; replay token %s", e.Config.Strategy, e.Hazard, err, e.token())
	var stuck *program.StuckError
	if !errors.As(err, &stuck) {
		return nil, unexpected(told)
	}
	if e.unplayed = told; e.Trouble.None() {
		e.Trouble = lang.New("%v", err)
	}
	return e, nil
}

func (e *exploration) token() string { return history.Token(e.Config, e.first.Schedule) }

// report prints and flushes the report of one hazard; the next can take long.
func (t *transcript) report(e *exploration, f exploreFlags) error {
	switch {
	case f.json:
		return t.object(e.row(), "")
	case f.story, e.leftOut:
		return nil
	}
	t.verdictOf(e)
	t.beyond(e)
	t.findings(e, f)
	t.violatedBeyond(e, f)
	return t.out.Flush()
}

// findings prints all of a report but the verdict.
func (t *transcript) findings(e *exploration, f exploreFlags) {
	verdict, _ := e.Verdict()
	switch {
	case verdict != explore.Violated || e.Limit == "":
	case e.Limit == explore.FirstViolation, e.Limit == explore.Interrupt:
		t.say("Stopped at: %v", lang.Word(e.Limit))
	case e.Hunt == nil:
		t.say("Cut short by the limit on: %v", lang.Word(e.Limit))
	}
	t.counterexample(e, f.transcript)
	for i := range e.Found {
		t.also(e, &e.Found[i])
		if e.Hunt != nil {
			hit := e.Found[i].Hit
			t.say("In runs: %d of %d, the first is run %d", hit.Runs, e.Hunt.Runs, hit.First)
		}
	}
	if e.Hunt != nil {
		t.runs(&e.Report, f.stats)
		return
	}
	t.say("States: %d", e.States)
	if f.stats {
		t.say("Transitions: %d", e.Transitions)
		t.say("Depth: %d", e.Depth)
	}
	if f.stats || verdict != explore.Violated {
		t.say("Over all transitions: %v", counted(&e.Report))
	}
	for _, s := range e.Spins {
		t.say("Spins: %v", s)
	}
	t.say("Assumptions: %v", e.Assumptions())
	if f.stats {
		t.say("Real code ran: a client %d times, a server %d times", e.ClientRuns, e.NodeRuns)
		t.say("Orders of threads taken to be equal: %d, verified by %d runs", e.Merging.Ways, e.Merging.Runs)
	}
	if f.stats && e.Since.IsZero() {
		t.say("Took: %v, %.3g states a second, %.3g bytes a state", e.took.Round(time.Millisecond),
			float64(e.States)/e.took.Seconds(), float64(e.Bytes)/float64(max(1, e.States)))
	}
}

// verdictOf prints a hazard and its verdict.
func (t *transcript) verdictOf(e *exploration) {
	t.hazard(&e.Report)
	verdict, reason := e.Verdict()
	t.say("Verdict: %v", verdict)
	if !reason.None() {
		t.say("Reason: %v", reason)
	}
	t.since(e)
}

// hazard prints the hazard of a report.
func (a *app) hazard(r *explore.Report) {
	hazard := a.book.Hazard(r.Hazard)
	a.say("")
	a.say("Hazard: %s, %s. %s", r.Hazard, hazard.Name, hazard.On(history.StoreOf(r.Config.Key())))
}

// since prints when a report from the cache was computed.
func (t *transcript) since(e *exploration) {
	if !e.Since.IsZero() {
		t.say("Cached: computed on %s", onDay(e.Since))
	}
}

// size is the number of faults and actions of a schedule, and whether it is proven
// shortest.
func (e *exploration) size(f *explore.Found) lang.List {
	shortest := lang.New("not proven shortest")
	if f.Shortest {
		shortest = lang.New("shortest")
	}
	return lang.Join(", ", explore.Size(e.Faults(f), len(f.Schedule)), shortest)
}

// also prints a violation other than the first in one line.
func (t *transcript) also(e *exploration, f *explore.Found) {
	if f != e.first {
		t.say("Also: %s (%v)", scenarios.VerdictIn(t.book, f.Violation), e.size(f))
	}
}

// counterexample prints in two sentences what the first violation is and why it
// happens, and then its run. whole adds the rest of the explanation.
func (t *transcript) counterexample(e *exploration, whole bool) {
	if e.first == nil {
		return
	}
	if e.unplayed == nil && !whole {
		t.briefly(e.run.History, e.broken)
	}
	t.say("")
	t.say("Counterexample: %s, %v", t.book.Named(e.first.Violation.Invariant), e.size(e.first))
	if e.unplayed != nil {
		t.say("%s", scenarios.VerdictIn(t.book, e.first.Violation))
		t.say("reproduced %d/%d", 0, replays)
		t.fact(t.book.Text("replay_token"), e.token())
		return
	}
	if whole {
		t.fact(t.book.Text("schedule"), e.run.History.Schedule.String())
	}
	t.events(e.run)
	if history.Tried(e.first.Violation.Invariant) { // it has no event of its own
		t.say("%s", scenarios.VerdictIn(t.book, e.broken))
	}
	if whole {
		t.told = map[string]bool{} // each hazard is explained whole
		t.explain(e.run.History, e.broken, len(e.run.History.Events))
		t.fact(t.book.Text("consequence"), t.in(e.run.Consequence))
		t.conflict(e)
	}
	t.say("reproduced %d/%d", replays, replays)
	t.fact(t.book.Text("replay_token"), e.token())
	if len(e.Found) > 1 {
		t.say("")
	}
}

// conflict prints the two lines that conflict in the first violation, and the
// point of no return.
func (t *transcript) conflict(e *exploration) {
	h := e.run.History
	if first, second, ok := h.Conflict(e.broken); ok {
		t.say("Conflict: %v", words(first))
		t.say("with: %v", words(second))
	}
	n := e.first.Point
	switch {
	case n == 0:
		return
	case n < 0:
		t.say("Point of no return: none; every ending has it")
		return
	}
	for _, l := range history.Lines(h.Events, h.Nodes) {
		if h.Events[l.Seq].Pick == n-1 {
			t.say("Point of no return: action %d of %d, %v", n, len(e.first.Schedule), words(l))
			return
		}
	}
	t.say("Point of no return: action %d of %d", n, len(e.first.Schedule))
}

// words is a line of a transcript without columns.
func words(l history.Line) lang.Message {
	text := l.Text
	if l.Who != "" {
		text = lang.New("%s: %v", l.Who, text)
	}
	if l.Source != "" {
		text = lang.New("%v at %s", text, l.Source)
	}
	return text
}

// counted prints how often the things happened that the verdict rests on.
func counted(r *explore.Report) lang.List {
	c := r.Counts
	parts := []any{
		lang.New("entered %d", c.Enters), lang.New("refused %d", c.Refused), lang.New("expired %d", c.Expired),
		lang.New("nested %d", c.Nested), lang.New("scripts %d", c.Scripts), lang.New("clock readings %d", c.Clocks),
	}
	for _, v := range faultVerbs(r) {
		parts = append(parts, lang.New("%s %d", lang.Word(v), c.Faults[v]))
	}
	return lang.Join(", ", parts...)
}

// faultVerbs lists the verbs of the bounds' faults, each once, in order.
func faultVerbs(r *explore.Report) (verbs []history.Verb) {
	for _, f := range r.Bounds.Faults { // those of one verb stand together
		verbs = append(verbs, f.Verb)
	}
	return slices.Compact(verbs)
}
