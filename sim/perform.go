package sim

import (
	"fmt"
	"slices"

	"lockstep/sim/history"
)

// Perform lets one action happen and appends it to the schedule. An action
// that is not enabled changes nothing and gives an error that wraps
// ErrNotEnabled and says why; where the run is as long as a run can be, the
// error wraps ErrTooLong. Any other error is the store's or a *StuckError, and
// the end of the run.
func (w *World) Perform(a history.Action) error {
	if w.stuck != nil {
		return fmt.Errorf("%s: %w", a, w.stuck)
	}
	if why := w.Refusal(a); why != "" {
		return fmt.Errorf("%s: %w: %s", a, ErrNotEnabled, why)
	}
	if err := w.full(); err != nil {
		return fmt.Errorf("%s: %w", a, err)
	}
	w.schedule = append(w.schedule, a)
	if a.Node != "" && a.Client == "" {
		return w.nodeFault(a)
	}
	var t *thread
	c := w.client(a.Client)
	if c != nil {
		t = c.threads[a.Thread]
	}
	switch a.Verb {
	case history.Step:
		if err := w.step(t); err != nil {
			return fmt.Errorf("%s: %w", a, err)
		}
	case history.Send:
		w.send(t)
	case history.Arrive:
		w.applyAll(w.sent(t))
	case history.LoseRequest:
		f := w.sent(t)
		w.lose(t, f, a.Verb)
		w.done(f)
	case history.LoseReply:
		f := w.sent(t)
		w.applyAll(f)
		w.lose(t, f, a.Verb)
		w.done(f)
	case history.Late:
		w.late(c)
	case history.Crash:
		w.emit(c.threads[0], history.Event{Kind: history.Fault, Op: string(a.Verb), Text: c.doing()})
		c.die()
	case history.Hang:
		w.emit(c.threads[0], history.Event{Kind: history.Fault, Op: string(a.Verb), Text: c.doing()})
		c.hung = true
	case history.Cut:
		w.cut(c, a)
	case history.Heal:
		w.emit(c.threads[0], history.Event{Kind: history.Fault, Op: string(a.Verb), Node: a.Node})
		c.cut = slices.DeleteFunc(c.cut, func(node string) bool { return node == a.Node })
	case history.Jump, history.Rate:
		w.emit(c.threads[0], history.Event{Kind: history.Fault, Op: string(a.Verb), By: a.By})
		c.clock.turn(w.now, a)
	case history.Flush:
		w.emit(nil, history.Event{Kind: history.Fault, Op: string(a.Verb)})
		for _, n := range w.nodes {
			n.flushScripts()
		}
	case history.Advance:
		w.advance(w.now + a.By)
	case history.Tick:
		next, _ := w.nextDeadline()
		w.advance(next)
	}
	return w.Err()
}

// Run performs a whole schedule.
func (w *World) Run(s history.Schedule) error {
	for i, a := range s {
		if err := w.Perform(a); err != nil {
			return fmt.Errorf("action %d: %w", i+1, err)
		}
	}
	return nil
}

// step lets a thread perform its pending operation, whatever is left of it.
func (w *World) step(t *thread) error {
	var o Observation
	switch t.op.kind {
	case opNow:
		o = Observation{Kind: SawNow, Shown: t.client.clock.read(w.now)}
	case opResource:
		if err := w.accessResource(t); err != nil {
			return err
		}
		o = Observation{Kind: SawAccess, Access: t.op.access}
	case opCommand:
		f := w.sent(t)
		if w.now < f.deadline && !f.conn.node.Slow {
			w.applyAll(f)
		}
		switch {
		case f.answered():
			o = Observation{Kind: SawReply, Reply: f.replies}
			w.deliver(t, f)
		case f.failed != "":
			o = w.disconnect(t, f)
		case w.now < f.deadline:
			return nil // it was sent just now, and no reply will come before its time-out
		default:
			o = Observation{Kind: SawTimeOut}
			w.giveUp(t, f)
		}
	}
	return w.observe(t, o)
}

// accessResource carries out what a thread does to the resource.
func (w *World) accessResource(t *thread) (err error) {
	a := &t.op.access
	if w.resource, err = w.store.do(a); err != nil {
		return fmt.Errorf("%s %s: %w", a.Op, w.config.Resource, err)
	}
	w.emit(t, a.Event(w.config))
	return nil
}

// advance moves time, stopping where a key expires on the way.
func (w *World) advance(to history.Millis) {
	for w.now < to {
		next := to
		if at, ok := w.NextExpiry(); ok && at < to {
			next = at
		}
		by := next - w.now
		w.now = next
		w.emit(nil, history.Event{Kind: history.Clock, By: by})
		for _, n := range w.nodes {
			if changes := n.pass(w.now); len(changes) > 0 {
				w.emit(nil, history.Event{Kind: history.Expire, Node: n.name, Changes: changes})
			}
		}
	}
}

// nextDeadline returns the next moment at which time alone changes something:
// a key is gone, a sleeper wakes, a client gives up waiting.
func (w *World) nextDeadline() (next history.Millis, ok bool) {
	consider := func(at history.Millis) {
		if at > w.now && (!ok || at < next) {
			next, ok = at, true
		}
	}
	if at, expires := w.NextExpiry(); expires {
		consider(at)
	}
	for _, c := range w.clients {
		for _, t := range c.threads {
			if at, waits := t.due(); waits {
				consider(at)
			}
		}
	}
	return next, ok
}
