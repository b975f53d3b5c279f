package model

import (
	"slices"

	"lockstep/sim"
	"lockstep/sim/history"
)

// enabled are the steps that a client can take by itself.
type enabled struct {
	due   history.Millis // the next time that matters to it; 0 for never
	steps []enabledStep
}

// An enabledStep is an enabled step of a strand.
type enabledStep struct {
	action int16
	waits  bool // its request is in transit, before its timeout
}

// enabledOf returns the enabled steps of a client.
func (m *Model) enabledOf(who int, client, env int32) *enabled {
	question, known := m.enabled.find(m, who, client, env, 0)
	if known != nil {
		return known
	}
	return m.enabled.note(m, question, env, m.askEnabled(who, client, env))
}

// askEnabled computes the enabled steps of a client.
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

// CanStep reports whether a client can take a step.
func (m *Model) CanStep(who int, client, env int32) bool {
	return len(m.enabledOf(who, client, env).steps) > 0
}

// Begins reports whether steps only begin the code of a client: all of it, or of
// goroutines of one process, those that take them.
func (m *Model) Begins(who int, client int32, steps []Effect) bool {
	c := m.Client(who, client)
	if m.Config.Process != history.Shared || !c.Begun() {
		return !c.Begun()
	}
	wants := m.learners[who].Wants(c.Code)
	return !slices.ContainsFunc(steps, func(e Effect) bool { return !wants[m.parties.Strand(m.actions.list[e.Action])].Fresh })
}

// Due returns the next time that matters to a client; 0 for never.
func (m *Model) Due(who int, client, env int32) history.Millis {
	return m.enabledOf(who, client, env).due
}

// StepOf returns the number of a step of a strand.
func (m *Model) StepOf(who, strand int) int16 {
	for id := len(m.steps[who]); id <= strand; id++ {
		m.steps[who] = append(m.steps[who], m.Number(m.parties.OfStrand(history.Step, who, id)))
	}
	return m.steps[who][strand]
}

// Steps performs every enabled step of a client, each from the same state. If
// slow, it omits steps that would deliver a request in transit. The next call
// invalidates the list.
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

// Faults performs every possible fault of some kinds on a client, each from the
// same state. The next call invalidates the list.
func (m *Model) Faults(who int, client, env int32, kinds []history.Action) ([]Effect, error) {
	actions := m.asked[:0]
	for _, f := range kinds {
		actions = append(actions, m.instancesOf(f, who, client)...)
	}
	m.asked = actions
	return m.actAll(who, client, env)
}

// A faultOf is a kind of fault and its possible targets.
type faultOf struct {
	kind         history.Action
	who, strands int
}

// instancesOf lists the actions of a kind of fault for one client. Dead and
// done clients have no strands.
func (m *Model) instancesOf(kind history.Action, who int, client int32) []int16 {
	c := m.Client(who, client)
	f := faultOf{kind, who, len(c.Strands)}
	numbers, known := m.instances[f]
	if ofClient, _ := kind.Concerns(); ofClient && !known {
		alone := sim.State{Clients: []sim.ClientState{*c}, Nodes: make([]sim.Ref, m.Subject.Nodes)}
		p := sim.Parties{Config: m.Config, Names: m.Names[who : who+1]}
		for _, a := range alone.Candidates(&p, kind) {
			numbers = append(numbers, m.Number(a))
		}
		m.instances[f] = numbers
	}
	return numbers
}

// EndFaults ends all faults of a client, or of an env if who is AnEnv, as
// world.Recovers does. State.EndFaults treats clients and env independently, so
// each can be done alone.
func (m *Model) EndFaults(who int, id int32) (int32, error) {
	if to := m.faultless.Get(id, int32(who)); to != nil {
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
	return *m.faultless.Put(id, int32(who), to), nil
}

// AnEnv selects an env where a client's index is expected.
const AnEnv = -1
