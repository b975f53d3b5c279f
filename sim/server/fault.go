package server

import (
	"slices"

	"lockstep/sim"
	"lockstep/sim/history"
)

// Fault is Value's.
func (s NodeState) Fault(a history.Action, now history.Millis) (Value, sim.Happened) {
	before := s
	var sent []sim.Message
	switch a.Verb {
	case history.Restart:
		s = s.anew()
	case history.Wipe:
		s = s.anew()
		s.Keys, s.Behind = nil, nil
	case history.Down:
		s = s.anew()
		s.Down = true
	case history.Up:
		s.Down = false
	case history.Slow:
		s.Slow = true
	case history.Fast:
		s.Slow = false
	case history.Jump, history.Rate:
		s, sent = s.turn(a, now).giveUp(now)
	case history.Promote:
		s = s.anew()
		s.Keys, s.Behind, s.Health = s.Behind[a.By-1].Keys, nil, sim.Health{Life: s.Life}
		s, _ = s.Expire(now)
	case history.Flush:
		s.Scripts = nil
	}
	return s, sim.Happened{Changes: compareKeys(before.views(), s.views()), Sent: sent}
}

// anew restarts the node's process, which loses what only its memory held.
// go-redis reopens a connection that does not WATCH before it uses it; a
// connection that does is broken.
func (s NodeState) anew() NodeState {
	s.Life++
	s.Scripts = nil
	s.Watches = slices.Clone(s.Watches)
	for i, w := range s.Watches {
		s.Watches[i] = Watch{Conn: w.Conn, Gone: true}
	}
	s.Blocked = nil // whose clients notice by themselves
	return s
}

// turn changes the node's clock. A deadline is a moment on that clock. A
// replica has its own clock.
func (s NodeState) turn(a history.Action, now history.Millis) NodeState {
	was, behind := s.Clock, s.Behind
	s.Clock.Turn(now, a)
	s.Keys = slices.Clone(s.Keys)
	for i := range s.Keys {
		if k := &s.Keys[i]; k.State.Deadline != 0 {
			k.State.Deadline, k.Rest = worldDeadline(s.Clock, k.until(was))
		}
	}
	s, _ = s.Expire(now)
	s.Behind, s.Blocked = behind, turned(s.Blocked, was, s.Clock)
	return s
}

// turned returns the held commands of a node whose clock changes. They wait
// until a moment on that clock, too.
func turned(blocked []Blocked, was, is sim.Clock) []Blocked {
	blocked = slices.Clone(blocked)
	for i := range blocked {
		if b := &blocked[i]; b.Deadline != 0 {
			b.Deadline, b.Rest = worldDeadline(is, was.Millis(b.Deadline)+b.Rest)
		}
	}
	return blocked
}

// until returns the deadline of a key that has one, on its node's clock.
func (k *StoredKey) until(c sim.Clock) history.Millis { return c.Millis(k.State.Deadline) + k.Rest }

// worldDeadline converts a deadline on a node's clock to the world's time and
// the rest; see StoredKey.
func worldDeadline(c sim.Clock, until history.Millis) (deadline, rest history.Millis) {
	deadline = c.Last(until)
	return deadline, until - c.Millis(deadline)
}

// Broken is Value's.
func (s NodeState) Broken(conn string) bool {
	return slices.ContainsFunc(s.Watches, func(w Watch) bool { return w.Conn == conn && w.Gone })
}
