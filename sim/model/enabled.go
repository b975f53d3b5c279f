package model

import (
	"lockstep/sim"
	"lockstep/sim/history"
)

// The enabled steps of a client are what it can do by itself.
type enabled struct {
	due   history.Millis // when time next matters to it; 0 for never
	steps []enabledStep
}

// An enabledStep is a step that a strand can take.
type enabledStep struct {
	action int16
	waits  bool // its request is on the way, and it need not give up yet
}

// enabledOf returns what a client can do by itself.
func (m *Model) enabledOf(who int, client, env int32) *enabled {
	question, known := m.enabled.find(m, who, client, env, 0)
	if known != nil {
		return known
	}
	return m.enabled.note(m, question, env, m.askEnabled(who, client, env))
}

// askEnabled asks what a client can do by itself.
func (m *Model) askEnabled(who int, client, env int32) (of enabled) {
	s := m.visit(who, client, env)
	of.due, _ = s.DeadlineOf(who, &m.parties)
	for id := range s.Clients[who].Strands {
		action := m.StepOf(who, id)
		if s.Refusal(m.actions.list[action], &m.parties).No() {
			of.steps = append(of.steps, enabledStep{action, s.Waits(who, id, &m.parties)})
		}
	}
	return of
}

// CanStep says whether a client can take a step.
func (m *Model) CanStep(who int, client, env int32) bool {
	return len(m.enabledOf(who, client, env).steps) > 0
}

// Due returns the next moment at which time matters to a client; 0 for never.
func (m *Model) Due(who int, client, env int32) history.Millis {
	return m.enabledOf(who, client, env).due
}

// StepOf returns the number of a step of a strand.
func (m *Model) StepOf(who, strand int) int16 {
	for id := len(m.steps[who]); id <= strand; id++ {
		m.steps[who] = append(m.steps[who], m.Number(history.Action{Verb: history.Step, Client: m.Names[who], Strand: id}))
	}
	return m.steps[who][strand]
}

// Steps lets each strand of a client that can take a step take it, each from
// the same state. If requests are slow, one that is on its way arrives by
// itself only. The list is good until the next is asked for.
func (m *Model) Steps(who int, client, env int32, slow bool) ([]Effect, error) {
	actions := m.asked[:0]
	for _, step := range m.enabledOf(who, client, env).steps {
		if !slow || !step.waits {
			actions = append(actions, step.action)
		}
	}
	m.asked = actions
	return m.actAll(who, client, env)
}

// Faults lets everything go wrong with a client that can, each from the same
// state. The list is good until the next is asked for.
func (m *Model) Faults(who int, client, env int32, kinds []history.Action) ([]Effect, error) {
	actions := m.asked[:0]
	for _, f := range kinds {
		actions = append(actions, m.instancesOf(f, who, client)...)
	}
	m.asked = actions
	return m.actAll(who, client, env)
}

// A faultOf is a kind of fault, and to whom it may happen.
type faultOf struct {
	kind         history.Action
	who, strands int
}

// instancesOf lists what a kind of fault may be for one client. The dead and the
// done have no strands.
func (m *Model) instancesOf(kind history.Action, who int, client int32) []int16 {
	c := m.Client(who, client)
	f := faultOf{kind, who, len(c.Strands)}
	numbers, known := m.instances[f]
	if ofClient, _ := kind.Concerns(); ofClient && !known {
		alone := sim.State{Clients: []sim.ClientState{*c}, Nodes: make([]sim.Ref, m.Subject.Nodes)}
		for _, a := range alone.Candidates(m.Names[who:who+1], kind) {
			numbers = append(numbers, m.Number(a))
		}
		m.instances[f] = numbers
	}
	return numbers
}

// EndFaults ends all faults, as world.Recovers has it, of a client, or of an env
// if who is AnEnv: State.EndFaults does nothing to one that depends on the
// other.
func (m *Model) EndFaults(who int, id int32) (int32, error) {
	known := &m.faultless[len(m.faultless)-1]
	if who != AnEnv {
		known = &m.faultless[who]
	}
	if to := known.Get(id, 0); to != nil {
		return *to, nil
	}
	s := sim.State{Clients: make([]sim.ClientState, len(m.Names))}
	if who != AnEnv {
		s.Clients[who] = *m.Client(who, id)
	} else {
		s = m.bare(id)
	}
	if err := s.EndFaults(&m.parties); err != nil {
		return 0, err
	}
	var to int32
	if who != AnEnv {
		to = m.client(who, s.Clients[who])
	} else {
		to = m.env(s)
	}
	known.Put(id, 0, to)
	return to, nil
}

// AnEnv stands in the place of a client where an env is meant.
const AnEnv = -1
