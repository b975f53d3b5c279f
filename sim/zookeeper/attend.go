package zookeeper

import (
	"slices"

	"lockstep/sim/history"
)

// Hear returns the state after a ping from each session whose connection is
// one of some.
func (s State) Hear(from func(conn string) bool, now history.Millis) State {
	t := s.turn(now)
	for _, x := range s.sessions {
		if x.conn != "" && from(x.conn) {
			t.touch(x.id, x.timeout)
		}
	}
	return t.State
}

// NextExpiryBut returns when the next session expires, apart from those whose
// connection is one of some: they are heard from in time.
func (s *State) NextExpiryBut(heard func(conn string) bool) (at history.Millis, ok bool) {
	for _, x := range s.sessions {
		if (x.conn == "" || !heard(x.conn)) && (!ok || x.deadline < at) {
			at, ok = x.deadline, true
		}
	}
	return at, ok
}

// Connections returns the names of all connections, sorted.
func (s *State) Connections() []string {
	names := make([]string, len(s.conns))
	for i, c := range s.conns {
		names[i] = c.name
	}
	return names
}

// Without returns the state without those of some sessions that have neither a
// connection nor a node. Unlike the end of a session it is no transaction.
func (s State) Without(some func(session int64) bool) State {
	s.sessions = slices.DeleteFunc(slices.Clone(s.sessions), func(x session) bool {
		return x.conn == "" && some(x.id) && !slices.ContainsFunc(s.servers[0].nodes, func(n *Node) bool { return n.Owner == x.id })
	})
	return s
}
