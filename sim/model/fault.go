package model

import (
	"lockstep/sim"
	"lockstep/sim/history"
)

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
