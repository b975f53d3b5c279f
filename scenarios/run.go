package scenarios

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"lockstep/scenarios/prose"
	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/strategies"
)

// A Result is what became of a story, or of a part of it.
type Result struct {
	History    history.History
	Beats      []Beat              // one for each step that was run
	Violations []history.Violation // in the order of their events
	// Consequence says what became of the resource: "sold 2 of 1".
	Consequence string
	// Skipped lists the commands that the lock gave no occasion for; only a
	// story that is played against another lock than its own has any.
	Skipped []string
	// Undecided says why an invariant could not be decided; "" if all were.
	Undecided string

	replays  []*Result // against other locks, as the story asks for them
	recovery recovery
	drift    history.Millis // see LiveResult
	notLive  bool           // it could not be played where it should have been
}

// A Beat is one step of a story in a run: the events that it led to and what
// it printed.
type Beat struct {
	Step     *Step
	From, To int // its events: Events[From:To]
	Output   []string
	Skipped  bool // the lock gave no occasion for it, or not for all of it
}

// Mismatch says where the output of a run is not what the story expects; nil
// if everything is.
func (r *Result) Mismatch(s *Story) *Error {
	for _, b := range r.Beats {
		for i := range max(len(b.Output), len(b.Step.Expected)) {
			got, want := line(b.Output, i), line(b.Step.Expected, i)
			if got != want {
				return &Error{s.Path, b.Step.from + i + 1, 1, fmt.Sprintf("expected %q, got %q", want, got)}
			}
		}
	}
	return nil
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
		outputs[i] = b.Output
	}
	return outputs
}

// SubjectOf returns the lock with the given id as the world takes it.
func SubjectOf(id string) (sim.Subject, error) {
	info, ok := strategies.Find(id)
	if !ok {
		return sim.Subject{}, fmt.Errorf("%q is no lock; %s would fit", id, lockIDs())
	}
	return sim.Subject{New: info.New, Nodes: info.Nodes, Polls: info.Polls}, nil
}

// Run plays a story. An error of the story's own, such as a step by a dead
// client, is an *Error.
func Run(s *Story) (*Result, error) {
	return play(&stage{open: sim.New}, s, s.Steps, s.Steps[0].world, false)
}

// RunAgainst plays a story with another lock than its own. A command that the
// other lock gives no occasion for is skipped, and its output says so.
func RunAgainst(s *Story, strategy string) (*Result, error) {
	config := s.Steps[0].world
	config.Strategy = strategy
	return play(&stage{open: sim.New}, s, s.Steps, config, true)
}

// play plays the steps of a story on a stage.
func play(on *stage, s *Story, steps []Step, config history.Config, lenient bool) (result *Result, err error) {
	r, err := newRunner(on, config)
	if err != nil {
		return nil, err
	}
	defer func() {
		r.w.Close()
		if broken := r.w.Err(); broken != nil {
			result, err = nil, broken
		}
	}()
	r.story, r.lenient = s, lenient
	if err := r.playAll(steps); err != nil {
		return nil, err
	}
	result = r.result()
	result.recovery, err = on.ask(r.w, steps)
	return result, err
}

func (r *runner) playAll(steps []Step) error {
	for i := range steps {
		step := &steps[i]
		r.steps, r.output = steps[:i], nil
		from := len(r.w.History().Events)
		err := step.do(r, step)
		if err != nil && (!r.lenient || !errors.Is(err, sim.ErrNotEnabled)) {
			return &Error{r.story.Path, step.Line, 1, err.Error()}
		}
		to := len(r.w.History().Events)
		output := r.transcript(from, to)
		if err != nil {
			output = append(output, "skipped: "+err.Error())
			r.skipped = append(r.skipped, step.Text)
		}
		output = append(output, r.output...)
		if len(output) == 0 && step.client != "" {
			output = append(output, r.next(step.client, step.thread))
		}
		r.beats = append(r.beats, Beat{step, from, to, output, err != nil})
	}
	return nil
}

// next says what a client is about to do, for a step that shows nothing else.
func (r *runner) next(client string, thread int) string {
	who := client
	if thread > 0 {
		who = fmt.Sprintf("%s/%d", client, thread)
	}
	for _, t := range r.w.Threads(client) {
		if t.ID == thread && !t.Ended {
			return fmt.Sprintf("%-4s is about to: %s", who, t.Text)
		}
	}
	return fmt.Sprintf("%-4s is done", who)
}

// A runner is one run under way.
type runner struct {
	on        *stage
	story     *Story
	lenient   bool   // it plays another lock than the story's own
	steps     []Step // before the present one
	config    history.Config
	subject   sim.Subject
	w         *sim.World
	monitor   *history.Monitor
	seen      int // events that the monitor has observed
	found     []history.Violation
	beats     []Beat
	output    []string // of the present step, beside its events
	undecided string
	skipped   []string // commands that the lock gave no occasion for
	replays   []*Result
}

func newRunner(on *stage, config history.Config) (*runner, error) {
	subject, err := SubjectOf(config.Strategy)
	if err != nil {
		return nil, err
	}
	w, err := on.open(config, subject)
	if err != nil {
		return nil, err
	}
	subject = subject.In(config)
	return &runner{on: on, config: config, subject: subject, w: w, monitor: history.NewMonitor(config, subject.Nodes)}, nil
}

func (r *runner) result() *Result {
	slices.SortStableFunc(r.found, func(a, b history.Violation) int { return a.Seq - b.Seq })
	return &Result{
		History: r.w.History(), Beats: r.beats, Violations: r.found, Consequence: r.monitor.Consequence(),
		Skipped: r.skipped, Undecided: r.undecided, replays: r.replays, drift: r.w.Drift(),
	}
}

// perform lets one action happen and judges its events.
func (r *runner) perform(a history.Action) error {
	err := r.w.Perform(a)
	events := r.w.History().Events
	for ; r.seen < len(events); r.seen++ {
		r.found = append(r.found, r.monitor.Observe(events[r.seen])...)
	}
	return err
}

func (r *runner) print(format string, args ...any) {
	r.output = append(r.output, fmt.Sprintf(format, args...))
}

func (r *runner) world(*Step) error {
	r.print("%s: %s", r.config.Strategy, strings.Join(r.config.Clients, ", "))
	return nil
}

// act performs the one action that a step stands for.
func (r *runner) act(s *Step) error {
	return r.perform(history.Action{Verb: s.verb, Client: s.client, Thread: s.thread, By: s.length})
}

func (r *runner) advance(s *Step) error {
	switch s.target {
	case "":
		return r.perform(history.Action{Verb: history.Advance, By: s.length})
	case "next":
		return r.perform(history.Action{Verb: history.Tick})
	}
	at, ok := r.w.NextExpiry()
	if !ok {
		return fmt.Errorf("advance expiry: %w: no key has a TTL", sim.ErrNotEnabled)
	}
	return r.perform(history.Action{Verb: history.Advance, By: at - r.w.Now()})
}

func (r *runner) keys(*Step) error {
	for _, k := range r.w.Keys() {
		left := "no TTL"
		if k.State.Deadline > 0 {
			left = fmt.Sprintf("TTL %v", k.State.Deadline-r.w.Now())
		}
		at := ""
		if r.subject.Nodes > 1 {
			at = k.Node + " "
		}
		r.print("%s%s = %s, %s", at, k.Key, k.State.Value, left)
	}
	if len(r.output) == 0 {
		r.print("no keys")
	}
	return nil
}

// check judges everything that happened so far, and whether the lock can be
// acquired again.
func (r *runner) check(s *Step) error {
	wanted := func(id string) bool { return len(s.only) == 0 || slices.Contains(s.only, id) }
	if wanted(history.LockRecovers) {
		if err := r.checkRecovery(); err != nil {
			return err
		}
	}
	r.printVerdict(r.found, wanted, r.undecided, r.monitor.Consequence())
	return nil
}

// checkRecovery decides lock-recovers, unless it is known to be violated.
func (r *runner) checkRecovery() error {
	if slices.ContainsFunc(r.found, func(v history.Violation) bool { return v.Invariant == history.LockRecovers }) {
		return nil
	}
	v, err := sim.FindOrphan(r.w.History(), r.subject)
	if errors.Is(err, sim.ErrUndecided) {
		r.undecided = "UNDECIDED " + err.Error()
		return nil
	}
	if v != nil {
		r.found = append(r.found, *v)
	}
	return err
}

func (r *runner) printVerdict(found []history.Violation, wanted func(string) bool, undecided, consequence string) {
	times := map[string]int{}
	var verdicts []string // each once, by invariant
	for _, id := range history.Invariants {
		for _, v := range found {
			if v.Invariant != id || !wanted(id) {
				continue
			}
			verdict := Verdict(v)
			if times[verdict]++; times[verdict] == 1 {
				verdicts = append(verdicts, verdict)
			}
		}
	}
	for _, verdict := range verdicts {
		if n := times[verdict]; n > 1 {
			verdict += fmt.Sprintf(" (%d times)", n)
		}
		r.print("%s", verdict)
	}
	switch {
	case undecided != "" && wanted(history.LockRecovers):
		r.print("%s", undecided)
	case len(verdicts) == 0:
		r.print("HOLDS")
	}
	r.print("%s", consequence)
}

// Verdict writes a violation on one line, in English.
func Verdict(v history.Violation) string {
	book, err := prose.Load("en")
	if err != nil {
		return "VIOLATED " + v.Invariant // the prose package's own test shows why
	}
	facts := prose.ViolationFacts{Client: v.Client, Other: v.Other, Key: v.Key, Detail: v.Detail}
	return "VIOLATED " + v.Invariant + ": " + book.Violation(v.Invariant, facts)
}

// replay plays the story so far against another lock and prints its verdict.
func (r *runner) replay(s *Step) error {
	var steps []Step
	for _, earlier := range r.steps {
		if earlier.name != "replay" && earlier.name != "check" && earlier.name != "keys" {
			steps = append(steps, earlier)
		}
	}
	steps = append(steps, Step{command: command{name: "check", do: (*runner).check}})
	other, err := play(r.on.other(len(r.replays)), r.story, steps, s.world, true)
	if why, only := liveOnly(err); only {
		r.replays = append(r.replays, &Result{notLive: true})
		r.print("%s", why)
		return nil
	}
	if err != nil {
		return err
	}
	r.replays = append(r.replays, other)
	for _, text := range other.Skipped {
		r.print("no occasion for: %s", text)
	}
	r.printVerdict(other.Violations, func(string) bool { return true }, other.Undecided, other.Consequence)
	return nil
}

// sourceColumn is where the strategy's file and line stand in a transcript.
const sourceColumn = 60

// transcript writes the events of a step, each violation below the event at
// which it is first known.
func (r *runner) transcript(from, to int) []string {
	events := r.w.History().Events[from:to]
	var out []string
	for _, l := range history.Lines(events, r.subject.Nodes) {
		text := fmt.Sprintf("%-4s %s", l.Who, l.Text)
		if l.Source != "" {
			text = fmt.Sprintf("%-*s %s", sourceColumn, text, l.Source)
		}
		out = append(out, text)
		for _, v := range r.found {
			if v.Seq >= l.Seq && v.Seq <= l.Last && v.Invariant != history.LockRecovers {
				out = append(out, "     "+Verdict(v))
			}
		}
	}
	return out
}
