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

// instancesOf lists what a kind of fault may be for one client.
func (m *Model) instancesOf(kind history.Action, who, strands int) []int16 {
	f := faultOf{kind, who, strands}
	numbers, known := m.instances[f]
	if !known {
		for _, a := range m.listInstances(f) {
			numbers = append(numbers, m.Number(a))
		}
		m.instances[f] = numbers
	}
	return numbers
}

func (m *Model) listInstances(of faultOf) []history.Action {
	f := of.kind
	ofClient, ofNode := f.Verb.Concerns()
	if !ofClient || !ofNode && f.Node != "" {
		return nil // it concerns nodes only, or nobody in particular
	}
	f.Client = m.Names[of.who]
	var list []history.Action
	switch f.Verb {
	case history.Send, history.Arrive, history.LoseRequest, history.LoseReply:
		for f.Thread = range of.strands { // the dead and the done have none
			list = append(list, f)
		}
	case history.Cut, history.Heal:
		for i := range m.Subject.Nodes {
			f.Node = sim.NodeName(i)
			list = append(list, f)
		}
	default:
		list = append(list, f)
	}
	return list
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
