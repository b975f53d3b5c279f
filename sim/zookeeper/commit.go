package zookeeper

import "slices"

// A txn is a committed transaction: what the tree is after it, the events at which
// watches fire, and the session that it ended, or 0.
type txn struct {
	view
	events []event
	ended  int64
}

// following returns the leader's view with the number of the next transaction.
func (t *turn) following() view {
	v := t.servers[0].view
	v.zxid++
	return v
}

// commit hands a transaction to all servers. The one by which the request came has
// applied it when it replies, and with it all before; others may lag.
func (t *turn) commit(x txn, by int) {
	for i := range t.servers {
		s := &t.servers[i]
		s.missed = append(slices.Clip(s.missed), x)
		keep := s.lag
		if i == by {
			keep = 0
		}
		t.apply(i, keep)
	}
}

// catchUp makes a server apply all that it has missed.
func (t *turn) catchUp(i int) { t.apply(i, 0) }

// apply makes a server apply what it has missed, except for the last few
// transactions.
func (t *turn) apply(i, keep int) {
	s := &t.servers[i]
	for len(s.missed) > keep {
		x := s.missed[0]
		s.missed = s.missed[1:]
		s.view = x.view
		for _, e := range x.events {
			t.fire(i, e)
		}
		if x.ended != 0 {
			t.closeAll(i, x.ended)
		}
	}
	if len(s.missed) == 0 {
		s.missed = nil
	}
}

// closeAll closes a session's connections to a server, except for the one that
// waits for the reply to its own close.
func (t *turn) closeAll(i int, id int64) {
	for _, c := range slices.Clone(t.conns) {
		if c.server == i && c.session == id && c.name != t.closing {
			t.close(c.name)
		}
	}
}

// write executes a request that is a transaction, whether it succeeds or not.
func (t *turn) write(name string, q *Request) {
	c := t.conn(name)
	at, id, who := c.server, c.session, c.who
	t.catchUp(at)
	s := t.session(id)
	switch {
	case t.conn(name) == nil: // the session has ended, and the server has only now learnt it
		return
	case s == nil || s.conn != name:
		t.close(name) // the session has moved to another connection
		return
	case q.Op == CloseSession:
		t.closing = name
		t.end(id, at)
		t.reply(name, q.Xid, t.servers[at].zxid, OK, nil)
		t.close(name)
		return
	}
	d := t.draft(id, who)
	body, code := d.request(q)
	t.done.Changes = append(t.done.Changes, d.changes...)
	t.commit(txn{view: d.view, events: d.events}, at)
	t.reply(name, q.Xid, t.servers[at].zxid, code, body)
}
