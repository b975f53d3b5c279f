package zookeeper

import (
	"slices"

	"lockstep/sim/history"
)

// Lag lets a server be up to n transactions behind; with 0 it catches up. It
// applies the oldest that it has missed when they become more than n, and all of
// them before it answers a sync or a write: the reply to a write comes after its
// commit, and commits come in order. The leader does not lag.
func (s State) Lag(server, n int, now history.Millis) (State, Done) {
	t := s.turn(now)
	t.pass()
	if server > 0 && server < len(t.servers) {
		t.servers[server].lag = max(n, 0)
		t.apply(server, t.servers[server].lag)
	}
	return t.State, t.done
}

// Elect lets the ensemble have a new leader: all connections end, no transaction is
// lost, zxids go on in a new epoch, which is their upper half, and every session
// has its whole timeout again, from now: the new leader has heard of none.
func (s State) Elect(now history.Millis) (State, Done) {
	t := s.turn(now)
	t.pass()
	for _, c := range slices.Clone(t.conns) {
		t.close(c.name)
	}
	leader := t.servers[0].view
	leader.zxid = (leader.zxid>>32 + 1) << 32
	for i := range t.servers {
		t.servers[i] = server{view: leader}
	}
	for _, s := range t.sessions {
		t.touch(s.id, s.timeout)
	}
	return t.State, t.done
}
