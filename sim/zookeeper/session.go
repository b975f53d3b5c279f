package zookeeper

import (
	"bytes"
	"encoding/binary"
	"slices"

	"lockstep/sim/history"
)

// connect answers a connection's first request. A client that has seen more than
// the server is closed without a reply, so that it tries another one. A new session
// is a transaction; a known one moves here, and the server closes the connection
// that it had to it. A session that has ended, or is somebody else's, is refused:
// the reply has the session 0.
func (t *turn) connect(c *conn, q *Request) {
	name, at := c.name, c.server
	if q.Zxid > t.servers[at].zxid {
		t.close(name)
		return
	}
	timeout := min(max(history.Millis(q.Timeout), t.config.MinTimeout), t.config.MaxTimeout)
	id := q.Session
	if id == 0 {
		id = t.open(at, timeout)
	} else {
		t.leave(id, at)
	}
	s := t.session(id)
	if s == nil || q.Session != 0 && !bytes.Equal(q.Password, Password(id)) {
		t.welcome(name, 0, 0, make([]byte, 16), q.Old)
		t.close(name)
		return
	}
	t.touch(id, timeout)
	s.conn = name
	c = t.conn(name)
	c.session, c.timeout = id, timeout
	t.welcome(name, timeout, id, Password(id), q.Old)
}

// open begins a session.
func (t *turn) open(at int, timeout history.Millis) int64 {
	t.catchUp(at)
	id := t.next
	t.next++
	t.sessions = append(t.sessions, session{id: id, timeout: timeout})
	t.commit(txn{view: t.following()}, at)
	return id
}

// leave closes the connection that a session has to a server. On another
// server it stays, until it writes.
func (t *turn) leave(id int64, at int) {
	for i := range t.conns {
		if c := &t.conns[i]; c.session == id && c.server == at {
			t.close(c.name)
			return
		}
	}
}

// welcome replies to a connect request.
func (t *turn) welcome(name string, timeout history.Millis, id int64, password []byte, old bool) {
	var w writer
	w.int(0)
	w.int(int32(timeout))
	w.long(id)
	w.buffer(password)
	if !old {
		w.bool(false) // it is no read-only server
	}
	t.done.Outs = append(t.done.Outs, Out{Conn: name, Frame: w.b})
}

// Password returns the password of a session. ZooKeeper computes it as the
// first bytes of java.util.Random with the id and a constant as its seed.
func Password(id int64) []byte {
	const secret, factor, mask = 0xB3415C00, 0x5DEECE66D, 1<<48 - 1
	seed := (uint64(id) ^ secret ^ factor) & mask
	var b []byte
	for range 4 {
		seed = (seed*factor + 0xB) & mask
		b = binary.LittleEndian.AppendUint32(b, uint32(seed>>16))
	}
	return b
}

// auth adds who the connection is, and does not touch the session. Only the
// scheme digest is known; a connection with another one is closed.
func (t *turn) auth(c *conn, q *Request) {
	name := c.name
	switch {
	case q.Malformed:
		t.close(name)
	case q.Scheme != "digest" || q.Data == nil:
		t.reply(name, q.Xid, 0, AuthFailed, nil)
		t.close(name)
	default:
		if id := digest(q.Data); !slices.Contains(c.who, id) {
			c.who = append(slices.Clip(c.who), id)
		}
		t.reply(name, q.Xid, 0, OK, nil)
	}
}

// Pass returns the state at a later time: sessions whose time has come expire,
// in the order of their deadlines and creation.
func (s State) Pass(now history.Millis) (State, Done) {
	t := s.turn(now)
	t.pass()
	return t.State, t.done
}

func (t *turn) pass() {
	for {
		i, due := t.due()
		if !due || t.sessions[i].deadline > t.now {
			return
		}
		t.end(t.sessions[i].id, -1)
	}
}

// due returns the index of the session that expires next.
func (s *State) due() (next int, ok bool) {
	for i := range s.sessions {
		if s.sessions[i].deadline < s.sessions[next].deadline {
			next = i
		}
	}
	return next, len(s.sessions) > 0
}

// end ends a session: it deletes its ephemeral nodes in the order of their
// paths, and closes its connections. The request came by the server with the
// index by; -1 if the leader itself decided.
func (t *turn) end(id int64, by int) {
	d := t.draft(id, nil)
	for _, path := range d.nodes.ephemerals(id) {
		d.remove(d.nodes.find(path))
	}
	t.sessions = slices.DeleteFunc(t.sessions, func(s session) bool { return s.id == id })
	t.done.Ended = append(t.done.Ended, id)
	t.done.Changes = append(t.done.Changes, d.changes...)
	t.commit(txn{view: d.view, events: d.events, ended: id}, by)
}
