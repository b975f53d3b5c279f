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

// step asks what an action does, and what is told of it.
func (p *parts) step(s *sim.State, a history.Action) (events int32, err error) {
	p.emitted = p.emitted[:0]
	if err := s.Step(a, &p.parties); err != nil {
		return 0, err
	}
	return p.events(p.emitted), nil
}

// bare returns a state without clients. It is good until the next visit.
func (p *parts) bare(env int32) sim.State {
	s := *p.visit(-1, 0, env)
	s.Clients = nil
	return s
}

// emit takes an event, unless nothing depends on it.
func (p *parts) emit(e history.Event) {
	switch e.Kind {
	case history.Request, history.Reply, history.TimeOut, history.Broken:
	default:
		p.emitted = append(p.emitted, e)
	}
}

// A deed is what an action of a client comes to.
type deed struct {
	refused        bool
	client, events int32
	env            int32 // -1 where it stays as it is
}

// act performs an action of one client, and says whether it can happen.
func (p *parts) act(who int, client, env int32, action int16) (m move, ok bool, err error) {
	question, d := p.deeds.find(p, who, client, env, action)
	if d == nil {
		learnt, err := p.try(who, client, env, p.verbs.list[action])
		if err != nil {
			return move{}, false, err
		}
		d = p.deeds.note(p, question, env, learnt)
	}
	if d.refused {
		return move{}, false, nil
	}
	to := env
	if d.env >= 0 {
		to = p.merged(env, d.env, p.deeds.touched[question])
	}
	return move{d.client, to, d.events, action}, true, nil
}

// try asks what an action does.
func (p *parts) try(who int, client, env int32, a history.Action) (deed, error) {
	s := p.visit(who, client, env)
	switch why := s.Refusal(a, &p.parties); {
	case why.Err() != nil:
		return deed{}, fmt.Errorf("explore: %s: %w", a, why.Err())
	case !why.No():
		return deed{refused: true}, nil
	}
	events, err := p.step(s, a)
	if err != nil {
		return deed{}, err
	}
	d := deed{client: p.client(who, s.Clients[who]), events: events, env: p.env(*s)}
	if d.env == env {
		d.env = -1
	}
	return d, nil
}

// A standing is what a client can do by itself, and until when it waits.
type standing struct {
	due   history.Millis // when time next matters to it; 0 for never
	steps []choice
}

// A choice is a step that a thread can take.
type choice struct {
	action int16
	waits  bool // its request is on the way, and it need not give up yet
}

// stand asks what a client can do by itself.
func (p *parts) stand(who int, client, env int32) *standing {
	question, known := p.standings.find(p, who, client, env, 0)
	if known != nil {
		return known
	}
	return p.standings.note(p, question, env, p.look(who, client, env))
}

// look finds out what a client can do by itself.
func (p *parts) look(who int, client, env int32) (st standing) {
	s := p.visit(who, client, env)
	st.due, _ = s.DeadlineOf(who, &p.parties)
	for id := range s.Clients[who].Strands {
		action := p.stepOf(who, id)
		if s.Refusal(p.verbs.list[action], &p.parties).No() {
			st.steps = append(st.steps, choice{action, s.Waits(who, id, &p.parties)})
		}
	}
	return st
}

// stepOf returns the number of a step of a strand.
func (p *parts) stepOf(who, strand int) int16 {
	for id := len(p.stepping[who]); id <= strand; id++ {
		p.stepping[who] = append(p.stepping[who], p.action(history.Action{Verb: history.Step, Client: p.names[who], Thread: id}))
	}
	return p.stepping[who][strand]
}

// steps lets each thread of a client that can take a step take it, each from
// the same state. If requests are slow, one that is on its way arrives by
// itself only.
func (p *parts) steps(who int, client, env int32, slow bool) ([]move, error) {
	actions := p.actions[:0]
	for _, c := range p.stand(who, client, env).steps {
		if !slow || !c.waits {
			actions = append(actions, c.action)
		}
	}
	p.actions = actions
	return p.all(who, client, env)
}

// all performs those of the listed actions of a client that can happen, each
// from the same state.
func (p *parts) all(who int, client, env int32) ([]move, error) {
	moves := p.moves[:0]
	for _, action := range p.actions {
		m, ok, err := p.act(who, client, env, action)
		if err != nil {
			return nil, err
		}
		if ok {
			moves = append(moves, m)
		}
	}
	p.moves = moves
	return moves, nil
}

// due returns the next moment at which time matters to a client; 0 for never.
func (p *parts) due(who int, client, env int32) history.Millis {
	return p.stand(who, client, env).due
}

// faults lets everything go wrong with a client that can, each from the same
// state.
func (p *parts) faults(who int, client, env int32, kinds []history.Action) ([]move, error) {
	actions := p.actions[:0]
	for _, f := range kinds {
		actions = append(actions, p.instances(f, who, len(p.clients[who].list[client].Strands))...)
	}
	p.actions = actions
	return p.all(who, client, env)
}

// A chance is a kind of fault, and to whom it may happen.
type chance struct {
	kind         history.Action
	who, strands int
}

// instances lists what a kind of fault may be for one client.
func (p *parts) instances(f history.Action, who, strands int) []int16 {
	c := chance{f, who, strands}
	numbers, known := p.chances[c]
	if !known {
		for _, a := range p.list(c) {
			numbers = append(numbers, p.action(a))
		}
		p.chances[c] = numbers
	}
	return numbers
}

func (p *parts) list(c chance) []history.Action {
	f := c.kind
	ofClient, ofNode := f.Verb.Concerns()
	if !ofClient || !ofNode && f.Node != "" {
		return nil // it concerns nodes only, or nobody in particular
	}
	f.Client = p.names[c.who]
	var list []history.Action
	switch f.Verb {
	case history.Send, history.Arrive, history.LoseRequest, history.LoseReply:
		for f.Thread = range c.strands { // the dead and the done have none
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
	s := p.bare(from)
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
		var err error
		if passed.events, err = p.step(&s, a); err != nil {
			return passed, err
		}
		passed.env = p.env(s)
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
	place int
	name  string
}

func (n learntNode) state(at sim.Ref) *sim.NodeState {
	n.parts.touched |= 1 << n.place
	return &n.nodes.list[at]
}

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
	n.state(at)
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

// A learntStore is a Store that notices when it is asked.
type learntStore struct{ *parts }

// Do is sim.Store's.
func (s learntStore) Do(r sim.ResourceState, a *sim.Access) (sim.ResourceState, error) {
	s.parts.touched |= s.resourceBit()
	return sim.InMemory{}.Do(r, a)
}
