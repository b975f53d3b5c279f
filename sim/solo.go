package sim

import (
	"context"
	"slices"

	"lockstep/sim/history"
)

// A Solo is one client's code by itself: no node and no resource, only what it
// is told. An explorer learns from it how the client behaves, once for each
// series of observations. Close it when done.
type Solo struct {
	w *World
	c *client
}

// NewSolo starts the client of that name, which may be Probe. No code of it has
// run yet.
func NewSolo(config history.Config, subject Subject, name string) *Solo {
	subject = subject.In(config)
	w := &World{config: config, subject: subject, parked: make(chan *thread), sourceless: true}
	for i := range subject.Nodes {
		w.nodes = append(w.nodes, &node{name: NodeName(i)})
	}
	if name == Probe {
		w.addProbe()
	} else {
		w.addClient(name)
	}
	return &Solo{w, w.clients[0]}
}

// Close unwinds the client's code.
func (s *Solo) Close() {
	s.c.die()
	s.c.close()
	theWatch.remove(s.w)
}

// Within is World.Within.
func (s *Solo) Within(ctx context.Context) { s.w.Within(ctx) }

// Observe lets a thread learn something and go on to its next operation. It
// returns what the client's code did meanwhile that is no command: it invoked
// an operation, came back from one, went to sleep. An error is a *StuckError.
func (s *Solo) Observe(thread int, o Observation) ([]history.Event, error) {
	from := len(s.w.events)
	if err := s.w.observe(s.c.threads[thread], o); err != nil {
		return nil, err
	}
	return slices.Clone(s.w.events[from:]), nil
}

// Dead says whether the client's code has panicked, which ends it.
func (s *Solo) Dead() bool { return s.c.dead }

// Done says whether no thread has anything left to do.
func (s *Solo) Done() bool { return s.c.done() }

// A Pending is what a thread is about to do.
type Pending struct {
	Name  string // of a background thread
	Ended bool   // nothing: its code has returned
	Fresh bool   // it has not begun
	Saw   Saw    // what a step will tell it
	Label string // a command's name, read, write, sleep ...
	Text  string // the same in full

	Node   int            // SawReply: the node, from 0
	Conn   int            // SawReply: the connection, among the client's
	Units  [][][]string   // SawReply: the commands, MULTI to EXEC as one
	During int            // SawReply: the operation under way; 0 for none
	Access Access         // SawAccess
	Sleeps bool           // it sleeps for By
	By     history.Millis // in the world's time
}

// About returns what a thread is about to do, and its text; nothing if there is
// no such thread, or it has ended.
func (s *Solo) About(thread int) (Saw, string) {
	if thread >= len(s.c.threads) || s.c.threads[thread].ended {
		return 0, ""
	}
	t := s.c.threads[thread]
	switch t.op.kind {
	case opNow:
		return SawNow, t.text()
	case opResource:
		return SawAccess, t.text()
	case opCommand:
		return SawReply, t.text()
	}
	return SawNothing, t.text()
}

// Threads returns what each thread is about to do.
func (s *Solo) Threads() []Pending {
	var all []Pending
	for _, t := range s.c.threads {
		p := Pending{Name: t.name, Ended: t.ended, Fresh: !t.started, Label: t.op.label, Text: t.text()}
		switch t.op.kind {
		case opNow:
			p.Saw = SawNow
		case opSleep:
			// A sleeper whose context is done need not wait.
			p.Sleeps = t.sleep.ctx.Err() == nil
			p.By = t.sleep.by
		case opResource:
			p.Saw, p.Access = SawAccess, t.op.access
		case opCommand:
			p.Saw = SawReply
			p.Node = slices.Index(s.w.nodes, t.outbox.conn.node)
			p.Conn = t.outbox.conn.id
			for _, u := range t.outbox.units {
				p.Units = append(p.Units, u.cmds)
			}
			if call := t.call.Load(); call != nil {
				p.During = call.id
			}
		}
		all = append(all, p)
	}
	return all
}
