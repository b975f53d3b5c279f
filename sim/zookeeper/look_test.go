package zookeeper

import "lockstep/sim/history"

// Expire ends a session at once, as if its time had come.
func (s State) Expire(session int64, now history.Millis) (State, Done) {
	t := s.turn(now)
	t.pass()
	if t.session(session) != nil {
		t.end(session, -1)
	}
	return t.State, t.done
}

// Behind returns how many transactions a server has missed.
func (s *State) Behind(server int) int { return len(s.servers[server].missed) }

// NextExpiry returns when the next session expires, if nothing is heard from it.
func (s *State) NextExpiry() (at history.Millis, ok bool) {
	i, ok := s.due()
	if !ok {
		return 0, false
	}
	return s.sessions[i].deadline, true
}

// Node returns a node as the leader knows it, nil if there is none.
func (s *State) Node(path string) *Node { return s.servers[0].nodes.find(path) }

// Zxid returns the leader's last transaction.
func (s *State) Zxid() int64 { return s.servers[0].zxid }
