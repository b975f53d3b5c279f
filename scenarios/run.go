package scenarios

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"lockstep/internal/lang"
	"lockstep/sim"
	"lockstep/sim/bubble"
	"lockstep/sim/explore"
	"lockstep/sim/history"
	"lockstep/sim/live"
	"lockstep/sim/program"
	"lockstep/sim/world"
	"lockstep/strategies"
)

// registered are the locks outside the catalogue, by id.
var registered sync.Map

// Register registers a lock outside the catalogue, for the stories and tokens of this
// process.
func Register(id string, subject program.Subject) { registered.Store(id, subject) }

// Mine is the id of the lock under test in a story that locktest plays: see RunOwn.
const Mine = "mine"

// SubjectOf returns the lock with the given id.
func SubjectOf(id string) (program.Subject, error) {
	if guest, ok := registered.Load(id); ok {
		return guest.(program.Subject), nil
	}
	info, ok := strategies.Find(id)
	switch {
	case !ok && id == Mine:
		return program.Subject{}, lang.Errorf("%s is the lock under test, and there is none here: locktest.Stories plays such a story", id)
	case !ok:
		return program.Subject{}, lang.Errorf("%q is not a lock; %s", id, lang.Fit(id, strategies.IDs()))
	}
	return bubble.Subject(info), nil
}

// LockOf is the lock with the given id, as it is explored.
func LockOf(id string) (explore.Lock, error) {
	subject, err := SubjectOf(id)
	return explore.Lock{ID: id, Subject: subject}, err
}

// Run plays a story. A mistake in the story, such as a step by a dead client, is an
// *Error. The end of ctx ends the wait for code that is stuck; see
// world.World.Within.
func Run(ctx context.Context, s *Story) (*Result, error) {
	return play(&stage{ctx: ctx, open: world.New}, s, s.Steps, s.Steps[0].world, false)
}

// RunAgainst plays a story with another lock. A command that is not possible with
// that lock is skipped, and its output says so. For ctx see Run.
func RunAgainst(ctx context.Context, s *Story, strategy string) (*Result, error) {
	config := s.Steps[0].world
	config.Strategy = strategy
	return play(&stage{ctx: ctx, open: world.New}, s, s.Steps, config, true)
}

// RunOwn plays a story about Mine with the given lock and skips nothing. For ctx see
// Run.
func RunOwn(ctx context.Context, s *Story, id string) (*Result, error) {
	if own := s.Strategy(); own != Mine {
		return nil, lang.At(s.Path, s.Steps[0].Line, lang.Errorf("the story is about %s; use strategy=%s", own, Mine))
	}
	config := s.Steps[0].world
	config.Strategy = id
	return play(&stage{ctx: ctx, open: world.New}, s, s.Steps, config, false)
}

func play(on *stage, s *Story, steps []Step, config history.Config, lenient bool) (result *Result, err error) {
	r, err := newRunner(on, config)
	if err != nil {
		return nil, err
	}
	defer func() {
		r.w.Close()
		switch left := r.w.Err(); {
		case left == nil:
		case err == nil || errors.Is(err, context.Canceled):
			result, err = nil, left
		default:
			err = lang.Errorf("%w; %w", err, left)
		}
	}()
	r.story, r.lenient = s, lenient
	if err := r.playAll(steps); err != nil {
		return nil, err
	}
	result = r.result()
	result.recovers, err = on.ask(r.w, steps)
	return result, err
}

func (r *runner) playAll(steps []Step) error {
	for i := range steps {
		step := &steps[i]
		r.steps, r.output, r.missed = steps[:i], nil, false
		from := len(r.w.History().Events)
		err := r.do(&step.command)
		if err != nil && (!r.lenient || !errors.Is(err, world.ErrNotEnabled)) {
			return lang.At(r.story.Path, step.Line, err)
		}
		to := len(r.w.History().Events)
		lines := history.Lines(r.w.History().Events[from:to], r.subject.Nodes)
		output := withViolations(lines, r.Violations)
		if err != nil {
			output = append(output, history.Line{Apart: true, Text: lang.New("skipped: %s", err)})
			r.Skipped = append(r.Skipped, step.Text)
		}
		output = append(output, r.output...)
		if client, strand := step.actor(); len(output) == 0 && client != "" {
			output = append(output, r.next(client, r.thread(strand)))
		}
		played := *step
		var decideErr error
		if played.Predict, decideErr = r.decide(step, from, to); decideErr != nil {
			return lang.At(r.story.Path, step.Line, decideErr)
		}
		asks := slices.DeleteFunc(slices.Clone(played.Predict), func(p Prediction) bool { return p.Answer == "" })
		r.Beats = append(r.Beats, Beat{&played, asks, from, to, lines, output, err != nil, r.missed})
	}
	return nil
}

// next describes what a client is about to do, for a step without other output.
func (r *runner) next(client string, strand int) history.Line {
	l := history.Line{Who: history.StrandName(client, strand), Text: lang.New("is done")}
	for _, t := range r.w.Strands(client) {
		if t.ID == strand && !t.Ended {
			l.Text = lang.New("is about to: %s", t.Text)
		}
	}
	return l
}

// A runner plays one run.
type runner struct {
	*Result
	on      *stage
	story   *Story
	lenient bool   // plays another lock than the story's own
	steps   []Step // before the current one
	config  history.Config
	subject program.Subject
	w       *world.World
	monitor *history.Monitor
	seen    int            // events that the monitor has seen
	output  []history.Line // of the current step, beside its events
	missed  bool           // the moment of the current step did not come
}

func newRunner(on *stage, config history.Config) (*runner, error) {
	subject, err := SubjectOf(config.Strategy)
	if err != nil {
		return nil, err
	}
	config.LockKey = cmp.Or(config.LockKey, subject.Key)
	if on.worked == nil {
		on.worked = new(int)
	}
	w, err := on.open(config, subject)
	if err != nil {
		return nil, err
	}
	w.Within(on.ctx)
	subject = subject.In(config)
	return &runner{Result: &Result{}, on: on, config: config, subject: subject, w: w, monitor: history.NewMonitor(config, subject.Nodes)}, nil
}

func (r *runner) result() *Result {
	slices.SortStableFunc(r.Violations, func(a, b history.Violation) int { return a.Seq - b.Seq })
	r.History, r.Consequence = r.w.History(), r.monitor.Consequence()
	return r.Result
}

// maxWork bounds the cost of a story beside the actions of its own run: its replays,
// and the replays of its checks.
const maxWork = 3 * history.MaxSchedule

// work counts actions, or an equal cost, before they are played. The error wraps
// world.ErrTooLong.
func (r *runner) work(actions int) error {
	if *r.on.worked += actions; *r.on.worked > maxWork {
		return lang.Errorf("%w: with its replays and checks it comes to %d actions, and no story may have more", world.ErrTooLong, maxWork)
	}
	return nil
}

// perform performs one action and judges its events.
func (r *runner) perform(a history.Action) error {
	if err := r.work(1); err != nil {
		return err
	}
	if a.Verb == history.Wipe && r.subject.Server == sim.ZooKeeper {
		return lang.Errorf("%s: %w: a ZooKeeper ensemble loses no data; use restart", a, world.ErrNotEnabled)
	}
	err := r.w.Perform(a)
	events := r.w.History().Events
	for ; r.seen < len(events); r.seen++ {
		r.Violations = append(r.Violations, r.monitor.Observe(events[r.seen])...)
	}
	return err
}

// print adds a line of findings, and add one about the run.
func (r *runner) print(text lang.Message) {
	r.output = append(r.output, history.Line{Apart: true, Text: text})
}

func (r *runner) add(text lang.Message) { r.output = append(r.output, history.Line{Text: text}) }

// do executes a command.
func (r *runner) do(c *command) error {
	switch c.name {
	case "world":
		lock := r.config.Strategy
		if !r.lenient {
			lock = r.story.Strategy()
		}
		r.print(lang.Quote(lock + ": " + strings.Join(r.config.Clients, ", ")))
		return nil
	case "run":
		return r.run(c)
	case "keys":
		return r.keys()
	case "check":
		return r.check(c.only)
	case "replay":
		return r.replay(c.against)
	}
	if c.expiry() {
		return r.toExpiry()
	}
	return r.act(c.acts)
}

// act performs some actions in order. With another lock, actions on nodes that it
// does not have are skipped.
func (r *runner) act(acts []history.Action) error {
	var missed error // the first of them
	done := 0
	for _, a := range acts {
		err := r.perform(r.adapted(a))
		if err != nil && !(r.lenient && errors.Is(err, world.ErrNotEnabled)) {
			return err
		}
		if err == nil {
			done++
		} else if missed == nil {
			missed = err
		}
	}
	if done > 0 {
		return nil
	}
	return missed
}

// toExpiry lets time pass until the next key expires.
func (r *runner) toExpiry() error {
	at, ok := r.w.NextExpiry()
	if !ok {
		return lang.Errorf("advance expiry: %w: no key has a TTL", world.ErrNotEnabled)
	}
	return r.perform(history.Action{Verb: history.Advance, By: at - r.w.Now()})
}

func (r *runner) keys() error {
	keys := r.w.Keys()
	if err := r.work(len(keys)); err != nil {
		return err
	}
	for _, k := range keys {
		left := lang.New("no TTL")
		switch {
		case k.State.Type == history.Ephemeral:
			r.print(lang.New("%s, of the session of %s", k.Key, k.State.Value))
			continue
		case k.State.Type == history.Znode:
			r.print(lang.New("%s", k.Key))
			continue
		case k.State.Deadline > 0:
			left = lang.New("TTL %s", k.State.Deadline-r.w.Now())
		}
		at := ""
		if r.subject.Nodes > 1 {
			at = k.Node + " "
		}
		r.print(lang.New("%s = %s, %s", at+k.Key, k.State.Value, left))
	}
	if len(r.output) == 0 {
		r.print(lang.New("no keys"))
	}
	return nil
}

// replay plays the story so far with another lock and prints the verdict.
func (r *runner) replay(strategy string) error {
	var steps []Step
	for _, earlier := range r.steps {
		if !earlier.Replays() && earlier.name != "check" && earlier.name != "keys" {
			steps = append(steps, earlier)
		}
	}
	steps = append(steps, Step{command: command{name: "check"}})
	config := r.config
	config.Strategy = strategy
	if config.LockKey == r.subject.Key { // no other lock's
		config.LockKey = ""
	}
	other, err := play(r.on.other(), r.story, steps, config, true)
	var mistake *Error
	var refused *live.RefusedError
	switch {
	case errors.As(err, &refused): // it concerns this replay only
		r.replays = append(r.replays, nil)
		r.print(lang.New("%v", refused))
		return nil
	case errors.As(err, &mistake): // report it at this line of the story
		return mistake.Err
	case err != nil:
		return err
	}
	r.replays = append(r.replays, other)
	for _, text := range other.Skipped {
		r.print(lang.New("no occasion for: %s", text))
	}
	r.printWoken(other.History)
	r.printVerdict(other.Violations, func(string) bool { return true }, other.Undecided, other.Consequence)
	return nil
}

// withViolations adds each violation below the event that shows it.
func withViolations(lines []history.Line, found []history.Violation) (out []history.Line) {
	for _, l := range lines {
		out = append(out, l)
		for _, v := range found {
			if v.Seq >= l.Seq && v.Seq <= l.Last && !history.Tried(v.Invariant) {
				out = append(out, history.Line{Seq: v.Seq, Last: v.Seq, Broken: &v})
			}
		}
	}
	return out
}
