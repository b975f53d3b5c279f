package zookeeper

import (
	"slices"

	"lockstep/sim/history"
)

// A turn is a State while an input is at work, with lists of its own.
type turn struct {
	State
	now  history.Millis
	done Done
	// closing is the connection that asks for the end of its session: it gets a
	// reply before it is closed.
	closing string
}

func (s State) turn(now history.Millis) *turn {
	s.servers = slices.Clone(s.servers)
	s.sessions = slices.Clone(s.sessions)
	s.conns = slices.Clone(s.conns)
	return &turn{State: s, now: now}
}

// conn returns a connection until the next one is dropped, or nil.
func (t *turn) conn(name string) *conn {
	if i, found := t.search(name); found {
		return &t.conns[i]
	}
	return nil
}

// session returns a session until the next one ends, or nil.
func (t *turn) session(id int64) *session {
	for i := range t.sessions {
		if t.sessions[i].id == id {
			return &t.sessions[i]
		}
	}
	return nil
}

// touch puts off the end of a session. Like SessionTrackerImpl, it rounds up to
// the next tick, even from one.
func (t *turn) touch(id int64, timeout history.Millis) {
	if s := t.session(id); s != nil {
		s.deadline = ((t.now+timeout)/t.config.Tick + 1) * t.config.Tick
	}
}

// reply writes a reply. A nil body has none.
func (t *turn) reply(name string, xid int32, zxid int64, code Code, body []byte) {
	var w writer
	w.header(xid, zxid, code)
	if code == OK {
		w.b = append(w.b, body...)
	}
	t.done.Outs = append(t.done.Outs, Out{Conn: name, Frame: w.b})
}

// close closes a connection.
func (t *turn) close(name string) {
	t.done.Outs = append(t.done.Outs, Out{Conn: name, Close: true})
	t.drop(name)
}

// drop forgets a connection.
func (t *turn) drop(name string) {
	i, found := t.search(name)
	if !found {
		return
	}
	if s := t.session(t.conns[i].session); s != nil && s.conn == name {
		s.conn = ""
	}
	t.conns = slices.Delete(t.conns, i, i+1)
}
