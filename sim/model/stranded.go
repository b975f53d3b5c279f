package model

import "lockstep/sim"

// whole returns a state of all clients but the probe. It is valid until the next visit.
func (m *Model) whole(clients []int32, env int32) *sim.State {
	s := m.visit(AnEnv, 0, env)
	for who, id := range clients {
		s.Clients[who] = *m.Client(who, id)
	}
	return s
}

// Listens reports whether a living client waits for a message.
func (m *Model) Listens(clients []int32, env int32) bool {
	s := m.whole(clients, env)
	for who := range clients {
		if s.Listens(who, &m.parties) {
			return true
		}
	}
	return false
}

// Stranded returns a client that listens if nothing will happen any more by itself; -1
// otherwise.
func (m *Model) Stranded(clients []int32, env int32) int {
	return m.whole(clients, env).Stranded(&m.parties)
}
