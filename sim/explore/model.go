package explore

import (
	"fmt"
	"slices"

	"lockstep/sim"
	"lockstep/sim/history"
)

// This file is the model: what sim.State.Step does, learnt once for each client
// and the world around it. An action of a client touches that client and what
// all share; time and what befalls nodes touch only what all share. So Step is
// asked of a state in which the other clients stand still, and what it answers
// is looked up from then on.

// around returns a state with what all share, whose clients are yet to be
// filled in.
func (p *parts) around(env int32) sim.State {
	e := p.envs.list[env]
	return sim.State{
		Now: e.now, Clients: make([]sim.ClientState, len(p.names)), Nodes: slices.Clone(e.nodes),
		Resource: e.resource, Abandoned: e.abandoned,
	}
}

// with returns a state in which one client stands in the world around it.
func (p *parts) with(who int, client, env int32) sim.State {
	s := p.around(env)
	s.Clients[who] = p.clients[who].list[client].clone()
	return s
}

// step asks what an action does, and what is told of it.
func (p *parts) step(s *sim.State, a history.Action) ([]history.Event, error) {
	p.emitted = nil
	err := s.Step(a, &p.parties)
	return p.emitted, err
}

// emit takes an event, unless nothing depends on it.
func (p *parts) emit(e history.Event) {
	switch e.Kind {
	case history.Request, history.Reply, history.TimeOut, history.Broken:
	default:
		p.emitted = append(p.emitted, e)
	}
}

// act performs an action of one client that is possible.
func (p *parts) act(who int, client, env int32, action int16) (move, error) {
	key := actKey{client, env, int16(who), action}
	if m, ok := p.acts[key]; ok {
		return m, nil
	}
	s := p.with(who, client, env)
	events, err := p.step(&s, p.verbs.list[action])
	if err != nil {
		return move{}, err
	}
	m := move{p.client(who, s.Clients[who]), p.env(s), p.events(events), action}
	p.acts[key] = m
	return m, nil
}

// steps lets each thread of a client that can take a step take it, each from
// the same state. If requests are slow, one that is on its way arrives by
// itself only.
func (p *parts) steps(who int, client, env int32, slow bool) ([]move, error) {
	s := p.with(who, client, env)
	var moves []move
	for id := range s.Clients[who].Strands {
		a := history.Action{Verb: history.Step, Client: p.names[who], Thread: id}
		if !s.Refusal(a, &p.parties).No() || slow && s.Waits(who, id, &p.parties) {
			continue
		}
		m, err := p.act(who, client, env, p.action(a))
		if err != nil {
			return nil, err
		}
		moves = append(moves, m)
	}
	return moves, nil
}

// due returns the next moment at which time matters to a client; 0 for never.
func (p *parts) due(who int, client, env int32) history.Millis {
	s := p.with(who, client, env)
	at, _ := s.DeadlineOf(who, &p.parties)
	return at
}

// faults lets everything go wrong with a client that can, each from the same
// state.
func (p *parts) faults(who int, client, env int32, kinds []history.Action) ([]move, error) {
	s := p.with(who, client, env)
	var moves []move
	for _, f := range kinds {
		for _, a := range p.instances(f, who, len(s.Clients[who].Strands)) {
			if why := s.Refusal(a, &p.parties); why.Err() != nil {
				return nil, fmt.Errorf("explore: %s: %w", a, why.Err())
			} else if !why.No() {
				continue
			}
			m, err := p.act(who, client, env, p.action(a))
			if err != nil {
				return nil, err
			}
			moves = append(moves, m)
		}
	}
	return moves, nil
}

// instances lists what a kind of fault may be for one client.
func (p *parts) instances(f history.Action, who, strands int) []history.Action {
	ofClient, ofNode := f.Verb.Concerns()
	if !ofClient || !ofNode && f.Node != "" {
		return nil // it concerns nodes only, or nobody in particular
	}
	f.Client = p.names[who]
	var list []history.Action
	switch f.Verb {
	case history.Send, history.Arrive, history.LoseRequest, history.LoseReply:
		for f.Thread = range strands { // the dead and the done have none
			list = append(list, f)
		}
	case history.Cut, history.Heal:
		for i := range p.subject.Nodes {
			f.Node = sim.NodeName(i)
			list = append(list, f)
		}
	default:
		list = append(list, f)
	}
	return list
}

// happen lets time pass, or something go wrong with the nodes.
func (p *parts) happen(from int32, c cause) (passage, error) {
	if known := p.happened(from, c); known != nil {
		return *known, nil
	}
	s := p.around(from)
	s.Clients = nil
	a := p.verbs.list[c.fault]
	if c.to > 0 {
		a = history.Action{Verb: history.Advance, By: c.to - s.Now}
	}
	passed := passage{cause: c, env: -1}
	why := s.Refusal(a, &p.parties)
	if err := why.Err(); err != nil {
		return passed, fmt.Errorf("explore: %w", err)
	}
	if why.No() {
		events, err := p.step(&s, a)
		if err != nil {
			return passed, err
		}
		passed.env, passed.events = p.env(s), p.events(events)
	}
	p.outlooks[from].passed = append(p.outlooks[from].passed, passed)
	return passed, nil
}

// happened returns what is known of a cause; nil for nothing.
func (p *parts) happened(from int32, c cause) *passage {
	list := p.outlooks[from].passed
	for i := range list {
		if list[i].cause == c {
			return &list[i]
		}
	}
	return nil
}

// A learntNode is a Server whose states are numbers.
type learntNode struct {
	*parts
	name string
}

func (n learntNode) state(at sim.Ref) *sim.NodeState { return &n.nodes.list[at] }

// Health is sim.Server's.
func (n learntNode) Health(at sim.Ref) sim.Health { return n.state(at).Health }

// Has is sim.Server's.
func (n learntNode) Has(at sim.Ref, key string) bool {
	return slices.ContainsFunc(n.state(at).Keys, func(k sim.StoredKey) bool { return k.Key == key })
}

// Behind is sim.Server's.
func (n learntNode) Behind(at sim.Ref) int { return len(n.state(at).Behind) }

// Execute is sim.Server's.
func (n learntNode) Execute(at sim.Ref, conn string, units []sim.Unit, now history.Millis) (sim.Ref, []sim.Executed, error) {
	return n.execute(at, n.name, conn, units, now)
}

// NextExpiry is sim.Server's.
func (n learntNode) NextExpiry(at sim.Ref) (history.Millis, bool) { return n.state(at).NextExpiry() }

// Pass is sim.Server's.
func (n learntNode) Pass(at sim.Ref, now history.Millis) (sim.Ref, []history.Change, error) {
	after, changes := n.state(at).Expire(now)
	if len(changes) > 0 || len(after.Behind) > 0 {
		at = n.node(after)
	}
	return at, changes, nil
}

// Fault is sim.Server's.
func (n learntNode) Fault(at sim.Ref, a history.Action, now history.Millis) (sim.Ref, []history.Change, error) {
	after, changes := n.state(at).Fault(a, now)
	return n.node(after), changes, nil
}

// Broken is sim.Server's.
func (n learntNode) Broken(at sim.Ref, conn string) bool { return n.state(at).Broken(conn) }

// Forget is sim.Server's.
func (n learntNode) Forget(at sim.Ref, gone func(conn string) bool) sim.Ref {
	if s := n.state(at); len(s.Watches) > 0 {
		return n.node(s.Forget(gone))
	}
	return at
}
