package fuzz

import (
	"lockstep/internal/lang"
	"lockstep/sim"
	"lockstep/sim/explore"
	"lockstep/sim/history"
	"lockstep/sim/world"
)

// A play is one real world within bounds, with its monitor.
type play struct {
	setup
	world   *world.World
	spent   explore.Spending
	monitor *history.Monitor
	seen    int // the number of events that the monitor has observed
	counts  explore.Counts
}

// play begins a play.
func (s setup) play() (*play, error) {
	w, err := world.New(s.config, s.subject)
	if err != nil {
		return nil, err
	}
	w.Within(s.ctx)
	return &play{setup: s, world: w, monitor: history.NewMonitor(s.config, w.History().Nodes), counts: explore.Counts{Faults: map[history.Verb]int{}}}, nil
}

func (p *play) close() { p.world.Close() }

func (p *play) allowed() []history.Action { return p.bounds.Allowed(p.world, p.spent) }

// schedule returns the actions so far. Later ones do not change it.
func (p *play) schedule() history.Schedule { return p.world.History().Schedule }

// perform performs an action and returns the violations.
func (p *play) perform(a history.Action) ([]history.Violation, error) {
	if err := p.world.Perform(a); err != nil {
		return nil, lang.Errorf("hunt: %w", err)
	}
	p.spent.Add(p.bounds, a)
	events := p.world.History().Events[p.seen:]
	p.seen += len(events)
	p.counts.Action(p.bounds, a, events, p.config.Key(), p.monitor)
	var found []history.Violation
	for _, e := range events {
		found = append(found, p.monitor.Observe(e)...)
	}
	return found, nil
}

// recovers decides lock-recovers and then lost-wakeup for the present state, and ends
// the play. It returns nil if neither is violated. The error wraps sim.ErrUndecided if that is
// undecided.
func (p *play) recovers() (*history.Violation, error) {
	listens, s := p.world.Listens(), p.schedule()
	ok, detail, err := p.world.Recovers()
	switch {
	case err != nil, ok && !listens:
		return nil, err
	case ok:
		return world.LostWakeup(p.ctx, p.config, p.subject, s)
	}
	v := sim.Orphaned(p.config, s, detail)
	return &v, nil
}

// An actor takes actions: a strand of a client, time, or one fault of one
// client, strand or node. It is written as its action, except that time is
// always a tick. At any moment an actor has at most one allowed action.
type actor history.Action

func actorOf(a history.Action) actor {
	if a.Verb.IsTime() {
		return actor{Verb: history.Tick}
	}
	return actor(a)
}
