package zookeeper

import "strings"

// read answers a request that changes nothing but watches, from what the
// connection's server knows. Sync makes that server catch up first.
func (t *turn) read(c *conn, q *Request) {
	name, at := c.name, c.server
	if q.Op == Sync {
		t.catchUp(at)
		if c = t.conn(name); c == nil { // the session has ended, and the server has only now learnt it
			return
		}
	}
	zxid := t.servers[at].zxid
	var w writer
	code := OK
	switch {
	case q.Op == Ping:
		const xid = -2
		t.reply(name, xid, zxid, OK, nil)
		return
	case q.Malformed:
		code = MarshallingError
	case q.Op == Sync:
		w.echo(q.Path)
	case q.Op == SetWatches:
		t.setWatches(c, q)
	default:
		code = c.look(&w, t.servers[at].nodes, q)
	}
	t.reply(name, q.Xid, zxid, code, w.b)
}

// look reads a node, and sets a watch if the request says so. A watch of Exists is
// set even where there is no node.
func (c *conn) look(w *writer, nodes tree, q *Request) Code {
	n := nodes.find(q.Path)
	if q.Op == Exists {
		if strings.IndexByte(q.Path, 0) >= 0 {
			return BadArguments
		}
		if q.Watch {
			c.data = addPath(c.data, q.Path)
		}
	}
	if n == nil {
		return NoNode
	}
	need := int32(PermRead)
	if q.Op == GetACL {
		need = PermRead | PermAdmin
	}
	if q.Op != Exists && !may(n.ACL, need, c.who) {
		return NoAuth
	}
	c.show(w, nodes, n, q)
	return OK
}

// show writes what a client sees of a node, and sets the watch for it.
func (c *conn) show(w *writer, nodes tree, n *Node, q *Request) {
	switch q.Op {
	case GetData:
		w.buffer(n.Data)
		if q.Watch {
			c.data = addPath(c.data, q.Path)
		}
	case GetChildren, GetChildren2:
		w.texts(nodes.children(n))
		if q.Watch {
			c.child = addPath(c.child, q.Path)
		}
	case GetACL:
		list := n.ACL
		if !may(n.ACL, PermAdmin, c.who) {
			list = masked(list)
		}
		w.acls(list)
	}
	if q.Op != GetChildren {
		w.stat(n.Stat())
	}
}
