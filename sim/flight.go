package sim

import (
	"slices"

	"lockstep/sim/history"
)

// This file is a command on its way: sent, executed, answered, lost, late.

// sent returns the thread's command on its way, sending it first if need be.
func (w *World) sent(t *thread) *flight {
	if t.flight == nil {
		w.send(t)
	}
	return t.flight
}

func (w *World) send(t *thread) {
	f := &flight{
		client: t.client, thread: t, conn: t.outbox.conn, units: t.outbox.units,
		deadline: w.now + w.config.Timeout,
	}
	t.flight = f
	switch n := f.conn.node; {
	case slices.Contains(t.client.cut, n.name):
		f.lost = true
	case n.Down:
		f.lost, f.failed = true, history.NoServer
	case f.conn.gone:
		f.lost, f.failed = true, history.Reset
	default:
		w.flights = append(w.flights, f)
	}
	for i := range f.units {
		u := &f.units[i]
		u.call = w.nextCall()
		if call := t.call.Load(); call != nil {
			u.during = call.id
		}
		if f.failed == "" {
			w.emit(t, u.event(history.Request, f))
		}
	}
}

// applyAll lets the node execute what has not reached it yet.
func (w *World) applyAll(f *flight) {
	for f.onTheWay() {
		u := &f.units[f.applied]
		reply, changes := f.conn.node.apply(f.conn.peer, *u, w.now)
		f.applied++
		f.replies = append(f.replies, reply...)
		u.reply = unitReply(reply, len(u.cmds))
		e := u.event(history.Apply, f)
		e.Changes = changes
		if f.thread.flight != f {
			e.Outcome = history.Unread
		}
		w.emit(f.thread, e)
	}
}

func (w *World) deliver(t *thread, f *flight) {
	for i := range f.units {
		w.emit(t, f.units[i].event(history.Reply, f))
	}
	t.flight = nil
	w.done(f)
}

// giveUp is the client's read deadline passing. The request may still arrive.
func (w *World) giveUp(t *thread, f *flight) {
	e := f.units[0].event(history.TimeOut, f)
	e.By = w.config.Timeout
	w.emit(t, e)
	t.flight = nil
}

// disconnect is the client learning that its connection broke.
func (w *World) disconnect(t *thread, f *flight) Observation {
	e := f.units[0].event(history.Broken, f)
	e.Op = f.failed
	w.emit(t, e)
	t.flight = nil
	if f.failed == history.NoServer {
		return Observation{Kind: SawRefused}
	}
	return Observation{Kind: SawReset}
}

func (w *World) lose(t *thread, f *flight, v history.Verb) {
	e := f.units[0].event(history.Fault, f)
	e.Op = string(v)
	w.emit(t, e)
	f.lost = true
}

// late lets the oldest request of a client that no longer waits for it reach
// its node.
func (w *World) late(c *client) {
	f := c.orphan()
	e := f.units[0].event(history.Fault, f)
	e.Op = string(history.Late)
	w.emit(f.thread, e)
	w.applyAll(f)
	w.done(f)
}

// done forgets a flight that has nothing left to happen to it.
func (w *World) done(f *flight) {
	w.flights = slices.DeleteFunc(w.flights, func(g *flight) bool { return g == f })
}

// event describes what happens to a unit.
func (u *unit) event(kind history.Kind, f *flight) history.Event {
	return history.Event{
		Kind: kind, Node: f.conn.node.name, Call: u.call, During: u.during,
		Cmds: u.shown, Reply: u.reply, Source: u.source,
	}
}

// unitReply writes the reply to a unit: that of EXEC for a transaction.
func unitReply(raw []byte, cmds int) string {
	for range cmds - 1 {
		_, n := replyPart(raw)
		raw = raw[n:]
	}
	return replyText(raw)
}
