package scenarios

import (
	"slices"

	"lockstep/internal/lang"
	"lockstep/sim/history"
	"lockstep/sim/program"
	"lockstep/sim/world"
)

// maxRun is how many actions one run command may take. It stops a client that never
// reaches its moment, such as one that polls without a pause.
const maxRun = 10_000

// run lets one client go on until a moment or for a length of time. No other client
// moves. Time passes when the client waits for it.
func (r *runner) run(c *command) error {
	if !r.w.Alive(c.client) {
		return lang.Errorf("run %s: %w: client %s is dead", c.client, world.ErrNotEnabled, c.client)
	}
	goal := awaited{moment: c.until, held: r.monitor.Holds(c.client) || r.releasing(c.client)}
	seen, end := len(r.w.History().Events), r.w.Now()+c.length
	thread := r.thread(c.strand)
	for range maxRun {
		for _, e := range r.w.History().Events[seen:] {
			if seen++; e.Client == c.client {
				goal.see(e)
			}
		}
		strands := r.w.Strands(c.client)
		if thread >= len(strands) {
			return lang.Errorf("run %s: %w: it has no thread %d", c.client, world.ErrNotEnabled, thread)
		}
		over := r.ended(strands, thread) || !r.w.Alive(c.client)
		switch {
		case c.length == 0 && goal.isNow(strands):
			return nil
		case c.length == 0 && (over || goal.isPast(strands[0])):
			if c.until.kind != done {
				r.add(lang.New("%s did not come", c.until))
				r.missed = true
			}
			return nil
		}
		action, ok := r.choose(strands, c, end)
		if !ok {
			switch {
			case c.length > 0:
			case slices.ContainsFunc(strands, listens):
				r.add(lang.New("%s waits for a message that has not come", c.client))
			default:
				r.add(lang.New("%s waits for nothing that will come", c.client))
			}
			return nil
		}
		if err := r.perform(action); err != nil {
			return err
		}
	}
	r.add(lang.New("stopped after %d actions: %s did not come", maxRun, c.until))
	return nil
}

// choose picks a client's next action: a background strand that has not slept yet,
// then the main strand, then the others, then waiting for the earliest of them. A run
// for a length of time waits no longer than that.
func (r *runner) choose(strands []world.StrandView, c *command, end history.Millis) (history.Action, bool) {
	allowed := func(t world.StrandView) bool {
		return c.strand == 0 || t.ID == r.thread(c.strand) || r.isTimer(t.ID)
	}
	for _, unslept := range []bool{true, false} {
		for _, t := range strands {
			if t.Enabled && allowed(t) && (t.Unslept || !unslept) {
				return history.Action{Verb: history.Step, Client: c.client, Strand: t.ID}, true
			}
		}
	}
	now := r.w.Now()
	next, waits := end, c.length > 0
	for _, t := range strands {
		if t.Waits && allowed(t) && t.Until > now && (!waits || t.Until < next) {
			next, waits = t.Until, true
		}
	}
	if at, timed := r.w.NextDeadline(); waits && timed && at < next && slices.ContainsFunc(strands, listens) {
		next = at // which may bring what it waits for
	}
	return history.Action{Verb: history.Advance, By: next - now}, waits && next > now
}

func listens(t world.StrandView) bool { return t.Listens }

// releasing reports whether the client is inside its release.
func (r *runner) releasing(client string) bool {
	inside := false
	for _, e := range r.w.History().Events {
		if e.Client == client && e.Op == history.OpRelease {
			inside = e.Kind == history.Invoke
		}
	}
	return inside
}

// A lock that keeps its own time has a timer as strand 1. Strands behind it are the
// goroutines that wait for something at present; a goroutine that sleeps has no
// number.

// thread is the number of a story's strand in this run. A story written for a
// strategy numbers background strands from 1, whichever lock plays it.
func (r *runner) thread(n int) int {
	if n > 0 && r.lenient && r.subject.KeepsTime() && !keepsTime(r.story.Strategy()) {
		return n + program.TimerStrand
	}
	return n
}

func keepsTime(lock string) bool {
	subject, _ := SubjectOf(lock)
	return subject.KeepsTime()
}

// isTimer reports whether a strand is the timer of a lock that keeps its own time.
func (r *runner) isTimer(id int) bool { return r.subject.KeepsTime() && id == program.TimerStrand }

// adapted adapts an action to this run: the step of a strand that its timer has to wake
// becomes the timer's.
func (r *runner) adapted(a history.Action) history.Action {
	a.Strand = r.thread(a.Strand)
	if a.Verb == history.LosePush {
		return r.toListener(a)
	}
	if a.Verb != history.Step || !r.subject.KeepsTime() {
		return a
	}
	strands := r.w.Strands(a.Client)
	if r.sleeps(strands, a.Strand) && strands[program.TimerStrand].Enabled {
		a.Strand = program.TimerStrand
	}
	return a
}

// toListener adapts the loss of a message to another lock, where another strand may
// wait for it.
func (r *runner) toListener(a history.Action) history.Action {
	for _, t := range r.w.Strands(a.Client) {
		other := a
		if other.Strand = t.ID; r.lenient && !r.w.Refusal(a).No() && r.w.Refusal(other).No() {
			return other
		}
	}
	return a
}

// sleeps reports whether only a timer, or another strand, can wake a strand of a lock
// that keeps its own time.
func (r *runner) sleeps(strands []world.StrandView, id int) bool {
	switch {
	case len(strands) == 0 || !r.subject.KeepsTime():
		return false
	case id == 0:
		return strands[0].Stays
	}
	return id > program.TimerStrand && (id >= len(strands) || strands[id].Ended)
}

// ended reports whether a strand does nothing more.
func (r *runner) ended(strands []world.StrandView, id int) bool {
	return strands[id].Ended && !(r.sleeps(strands, id) && !strands[program.TimerStrand].Ended)
}
