// Package bubble runs client code that was not written for Lockstep: its
// goroutines, timers, contexts and random numbers, on the client's own clock.
//
// Each run of such code is a bubble of testing/synctest (run.go). It makes an
// observation and comes to rest. The operations that its goroutines then wait
// for at the seam are the client's next steps. A Bubble (bubble.go) is a
// client: it holds the observations so far, and a run after them or none.
//
// A bubble's clock cannot be set back, so neither can a client's. Timers fire
// on time even while the process hangs; the hang delays the commands that
// follow.
package bubble

import (
	"context"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/program"
)

// Start starts a client whose code runs in a bubble. It is a program.Subject's
// Start.
func Start(config history.Config, subject program.Subject, name string) program.Code {
	b := &Bubble{config: config, subject: subject, name: name, ctx: context.Background()}
	b.wants = []sim.Want{{Fresh: true, Label: string(history.Start)}, {Name: clockName, Ended: true}}
	if b.shared() {
		for i := range config.Clients {
			if i > 0 {
				b.wants = append(b.wants, sim.Want{Name: "goroutine", Fresh: true, Label: string(history.Start)})
			}
			b.wants[strandOf(i)].Of = i + 1
		}
	}
	return b
}

// The first two strands of every client are its main goroutine and its clock,
// which steps to the next timer that leads to the seam. The next ones are the main
// goroutines of further tasks, if there are any (task.go). Each further strand is
// the current operation of another goroutine.
const (
	mainStrand  = 0
	clockStrand = program.TimerStrand
)

const clockName = "timer"

// A Bubble is a Program: the code of one client in its own bubble. Its state is
// a function of its observations.
type Bubble struct {
	config  history.Config
	subject program.Subject
	name    string
	sources bool
	ctx     context.Context

	observed []program.Observed // all observations, each but the last with what the code drew
	made     int                // how many of them the runs have made
	others   []program.Other    // what runs drew otherwise, not told yet
	calls    program.Calls
	runs     []*run // runs after all observations; two if the lock draws
	ahead    bool   // they have advanced to the next timer since
	wants    []sim.Want
	known    bool // wants is current
	dead     bool
	stuck    error
	since    int
}

// Within is program.Code's.
func (b *Bubble) Within(ctx context.Context) {
	if ctx != nil {
		b.ctx = ctx
	}
}

// Show is program.Code's.
func (b *Bubble) Show(number func() int) { b.calls.Number, b.sources = number, true }

// Since is program.Code's.
func (b *Bubble) Since(action int) { b.since = action }

// Slept is program.Code's. It is true: no strand has to settle first.
func (b *Bubble) Slept(int) bool { return true }

// Observe is sim.Program's. An error is a *program.StuckError, or wraps
// program.ErrNondeterministic.
func (b *Bubble) Observe(_ sim.Ref, strand int, o sim.Observation) (sim.Ref, []history.Event, error) {
	events := b.goOn(strand, o)
	looked := b.look()
	events = append(events, b.blocked()...)
	for i := range events {
		b.calls.Renumber(&events[i].Call)
	}
	if looked {
		b.number()
	}
	return 1, events, b.stuck
}

// goOn makes an observation, and returns the events.
func (b *Bubble) goOn(strand int, o sim.Observation) []history.Event {
	if b.ahead && strand != clockStrand {
		b.drop()
	}
	b.note(strand, o)
	return b.stand()
}

// note records an observation.
func (b *Bubble) note(strand int, o sim.Observation) {
	b.ahead, b.known = false, false
	b.observed = append(b.observed, program.Observed{Strand: strand, Observation: o})
}

// Walk is program.Code's.
func (b *Bubble) Walk(steps []program.Stride) (gone int, did program.Did, err error) {
	defer func() {
		if b.made > 0 {
			did.Drew = b.observed[b.made-1].Drew
		}
		did.Others, b.others = b.others, nil
	}()
	for i := range steps {
		step := &steps[i]
		if step.Told {
			b.drop()
			b.note(step.Strand, step.Observation)
			continue
		}
		did.Events = b.goOn(step.Strand, step.Observation)
		switch last := i == len(steps)-1; {
		case b.stuck != nil:
		case step.Quiet && b.alone():
			b.wants = b.atSeam()
			b.wants[clockStrand].Name = clockName
		case last || step.Clock || step.Did == nil || steps[i+1].Strand == clockStrand:
			b.look()
		default:
			b.wants = b.atSeam()
			b.wants[clockStrand] = step.Did.Wants[clockStrand]
		}
		did.Events = append(did.Events, b.blocked()...)
		if b.stuck != nil {
			return i, did, b.stuck
		}
		if did.Wants = slices.Clone(b.wants); !step.Says(did) {
			return i, did, nil
		}
	}
	return len(steps), did, nil
}

// maxDraws bounds how often code runs until it draws what it is said to have drawn. What it
// draws in a row has to come again in one run, and a map of two begins with the second only
// once in eight times: a run that does so twice comes within so many but once in some millions.
const maxDraws = 1000

// maxMissed bounds the runs that come as far as any and then draw otherwise. Code that keeps
// something from one run to the next does so each time.
const maxMissed = 250

// stand has runs make all observations, unless the code is stuck, and returns the events of
// the last. Code that draws otherwise than an observation says begins again.
func (b *Bubble) stand() (events []history.Event) {
	far, missed := 0, 0
	for try := 1; b.stuck == nil; try++ {
		if b.runs == nil {
			b.made, b.runs = 0, []*run{newRun(b)}
			if b.subject.Draws {
				b.runs = append(b.runs, newRun(b))
			}
		}
		var differs error
		for b.made < len(b.observed) && b.stuck == nil && differs == nil {
			events, differs = b.observe()
		}
		if b.made > far {
			far, missed = b.made, 0
		}
		if b.made == far {
			missed++
		}
		switch {
		case differs == nil:
			return events
		case try == maxDraws, missed == maxMissed:
			b.fail(differs)
		default:
			b.drop()
		}
	}
	return nil
}

// observe lets the runs make the next observation, unless the code is stuck. An error says
// that they have not drawn what it says, or not the same.
func (b *Bubble) observe() (events []history.Event, differs error) {
	at := b.made
	b.made++
	if program.Careful != nil {
		program.Careful(b.made, b.atSeam())
	}
	b.each(func(r *run) error { return r.observe(b.observed[at], b.made) })
	if b.stuck != nil {
		return nil, nil
	}
	if len(b.runs) > 1 {
		if differs = reconcile(b.runs[0], b.runs[1]); differs != nil {
			return nil, differs
		}
	}
	events = b.runs[0].happened()
	o, drew := &b.observed[at], b.runs[0].drew()
	switch {
	case o.Drew == 0:
		o.Drew = drew
	case o.Drew != drew:
		if !slices.ContainsFunc(b.others, func(o program.Other) bool { return o.At == at && o.Drew == drew }) {
			b.others = append(b.others, program.Other{At: at, Did: program.Did{Events: events, Wants: b.atSeam(), Drew: drew}})
		}
		return nil, elsewhere("client %s was told the same again and again, and never did again what it had done once", b.name)
	}
	return events, nil
}

// each calls do for all runs, unless the code is stuck.
func (b *Bubble) each(do func(*run) error) {
	for _, r := range b.runs {
		if b.stuck != nil {
			return // the other runs have ended
		}
		err := do(r)
		if err == nil {
			err = past()
		}
		b.fail(err)
	}
}

// fail records an error and ends the runs.
func (b *Bubble) fail(err error) {
	if err != nil {
		b.stuck = pastOr(err)
		b.drop()
	}
}

// Wants is sim.Program's. The next Observe returns its error.
func (b *Bubble) Wants(sim.Ref) []sim.Want {
	if !b.dead && b.look() {
		b.number()
	}
	return b.wants
}

// number gives the operations of the wants their numbers in the world.
func (b *Bubble) number() {
	for i := range b.wants {
		b.calls.Renumber(&b.wants[i].During)
	}
}

// look computes what each strand is about to do, with the client's own numbers of
// its operations. It reports whether it was not known.
func (b *Bubble) look() bool {
	if b.known || len(b.observed) == 0 {
		return false
	}
	b.known = true
	b.stand()
	if b.stuck != nil {
		return false
	}
	wants := b.atSeam()
	if b.runs[0].exited() {
		wants[clockStrand].Name = clockName
		b.wants = wants
		return true
	}
	timer := b.nextTimer()
	timer.Closed = wants[clockStrand].Closed
	wants[clockStrand] = timer
	b.wants = wants
	return true
}

// alone reports whether the program is at the seam, and no other goroutine.
func (b *Bubble) alone() bool {
	wants := b.runs[0].wants()
	return wants[mainStrand].Saw != sim.SawNothing && !slices.ContainsFunc(wants[clockStrand:], func(w sim.Want) bool { return !w.Ended })
}

// blocked returns the event of a program that waits where nothing of its own brings it
// further: no goroutine is at the seam, and none comes there by itself. In a process with
// several programs, one may wait for another.
func (b *Bubble) blocked() []history.Event {
	live := func(w sim.Want) bool { return !w.Ended }
	if b.stuck != nil || b.config.Process == history.Shared || !b.wants[mainStrand].Stays || slices.ContainsFunc(b.wants[clockStrand:], live) {
		return nil
	}
	e := history.Event{Kind: history.Blocked, By: history.Millis(b.horizon().Milliseconds())}
	if b.stand(); b.stuck == nil { // again, where it waits
		e.Source = b.runs[0].waitsAt()
	}
	return []history.Event{e}
}

// atSeam returns what each strand is about to do, except for the clock.
func (b *Bubble) atSeam() []sim.Want {
	if b.sources {
		b.runs[0].locate()
	}
	wants := b.runs[0].wants()
	if b.runs[0].exited() {
		for i := range wants {
			wants[i] = sim.Want{Name: wants[i].Name, Ended: true}
		}
	}
	return wants
}

// nextTimer advances the runs until a goroutine reaches the seam, and returns
// the clock strand's want for that time.
func (b *Bubble) nextTimer() sim.Want {
	never := sim.Want{Name: clockName, Ended: true}
	quiet := !slices.ContainsFunc(b.runs, func(r *run) bool { return !r.quiet() })
	if quiet && !checksQuiet {
		return never
	}
	if program.Careful != nil {
		program.Careful(0, nil)
	}
	b.ahead = true
	var arrivals []arrival
	b.each(func(r *run) error {
		a, err := r.toArrival(b.horizon())
		arrivals = append(arrivals, a)
		return err
	})
	if b.stuck != nil {
		return never
	}
	if first := arrivals[0]; slices.ContainsFunc(arrivals, func(a arrival) bool { return a != first }) {
		b.fail(b.runs[0].differs(first, arrivals[1]))
	}
	if quiet && b.stuck == nil && !arrivals[0].never {
		b.fail(elsewhere("client %s, which has no timer, %v", b.name, arrivals[0]))
	}
	if b.stuck != nil || arrivals[0].never {
		b.drop()
		return never
	}
	// The next observation is made this offset after the time on the clock. It
	// depends on how much was observed, and shall not show: see toTimer.
	wakes := roundUp(arrivals[0].at.Add(-offset(len(b.observed) + 1)))
	return sim.Want{Name: clockName, Label: string(history.Sleep), Sleeps: true, Wakes: wakes}
}

// roundUp rounds to a grain.
func roundUp(t time.Time) time.Time {
	down := t.Truncate(grain)
	if down.Before(t) {
		return down.Add(grain)
	}
	return down
}

// checksQuiet lets the clock advance even where quiet says that it need not, to
// check that. It is for tests.
var checksQuiet = false

// horizon is how far the clock advances at most: later timers change no
// verdict.
func (b *Bubble) horizon() time.Duration {
	return (2*sim.RecoveryLeases*b.config.TTL + b.config.Wait + b.config.Work).Duration()
}

// drop ends the runs.
func (b *Bubble) drop() {
	for _, r := range b.runs {
		if err := r.end(); b.stuck == nil {
			b.stuck = err
		}
	}
	b.runs, b.ahead = nil, false
}

// Die is sim.Program's.
func (b *Bubble) Die() {
	b.Wants(0)
	b.dead = true
	b.drop()
}

// Close is program.Code's.
func (b *Bubble) Close() { b.dead = true; b.drop() }

// offset is the delay of a client's nth observation after its clock's time. So
// timers that start after different observations never end at the same instant,
// where chance would decide which goroutine wakes first.
func offset(n int) time.Duration { return time.Duration(n) * time.Microsecond }

var _ program.Code = (*Bubble)(nil)

// goroutines returns the printed stacks of the bubble's goroutines, by their first
// lines.
func (r *run) goroutines() iter.Seq2[string, string] {
	mark := "synctest bubble " + strconv.Itoa(r.number) + "]:"
	return func(yield func(head, stack string) bool) {
		for stack := range strings.SplitSeq(program.Stacks(), "\n\n") {
			if head, _, _ := strings.Cut(stack, "\n"); strings.HasSuffix(head, mark) && !yield(head, stack) {
				return
			}
		}
	}
}

// atMutex reports whether the code waits for a mutex that nobody gives free before an
// observation: all other goroutines are at rest. testing/synctest does not take one
// that waits for a mutex to be.
func (r *run) atMutex() (waits bool) {
	for head, stack := range r.goroutines() {
		switch state, _ := program.Whereabouts(head); {
		case strings.Contains(head, "(durable)"), strings.Contains(stack, "synctest.Wait("):
		case program.Stuck{State: state}.AtMutex():
			waits = true
		default:
			return false
		}
	}
	return waits
}

// waitsAt is the line at which the program waits.
func (r *run) waitsAt() (place string) {
	for _, stack := range r.goroutines() {
		if place == "" && strings.Contains(stack, "bubble.(*run).program(") || strings.Contains(stack, "bubble.(*Section).run(") {
			_, place = program.Whereabouts(stack)
		}
	}
	return place
}

// stuck describes the code of a run that does not come to rest.
func (r *run) stuck() error {
	s := program.Stuck{Lock: r.b.config.Strategy, Client: r.b.name, Action: r.b.since, For: program.Patience()}
	for head, stack := range r.goroutines() {
		if strings.Contains(head, "(durable)") || strings.Contains(stack, "synctest.Wait(") {
			continue
		}
		if state, place := program.Whereabouts(stack); place != "" || s.Place == "" {
			s.State, s.Place = state, place
		}
	}
	return &program.StuckError{Stuck: s}
}
