package zookeeper

import "fmt"

// A draft is a transaction in the making.
type draft struct {
	view
	wall    int64
	session int64
	who     []ID
	events  []event
	changes []Change
}

// draft begins a transaction of a session.
func (t *turn) draft(session int64, who []ID) *draft {
	return &draft{view: t.following(), wall: t.config.Wall, session: session, who: who}
}

// request does what a request asks for. If that fails, the draft is empty, but has
// its number: failures are transactions too.
func (d *draft) request(q *Request) (body []byte, code Code) {
	before := *d
	var w writer
	switch {
	case q.Malformed:
		code = MarshallingError
	case q.Op == Multi:
		w.b, code = d.multi(q)
	default:
		var p part
		p, code = d.do(q)
		w.part(&p)
	}
	if code != OK {
		*d = before
	}
	return w.b, code
}

// A part is what came of one request, or of one part of a multi.
type part struct {
	op   Op
	code Code   // of opError
	path string // of Create
	node *Node
}

// part writes what follows the header of a reply.
func (w *writer) part(p *part) {
	switch p.op {
	case Create:
		w.text(p.path)
	case Create2:
		w.text(p.path)
		w.stat(p.node.Stat())
	case SetData, SetACL:
		w.stat(p.node.Stat())
	case opError:
		w.int(int32(p.code))
	}
}

// do does what a request, or a part of a multi, asks for.
func (d *draft) do(q *Request) (part, Code) {
	p, code := part{op: q.Op}, OK
	switch q.Op {
	case Create, Create2:
		p.node, code = d.create(q)
		if code == OK {
			p.path = p.node.Path
		}
	case Delete:
		code = d.delete(q)
	case SetData, SetACL, Check:
		p.node, code = d.set(q)
	}
	if code != OK {
		p = part{op: opError, code: code}
	}
	return p, code
}

// create creates a node. Its checks come in the order of PrepRequestProcessor.
func (d *draft) create(q *Request) (*Node, Code) {
	if q.withTTL() { // which a server has to be configured for
		return nil, Unimplemented
	}
	path := q.Path
	above, ok := parent(path)
	if q.Flags < 0 || q.Flags > 6 || !ok {
		return nil, BadArguments
	}
	acl, ok := resolve(q.ACL, d.who)
	if !ok {
		return nil, InvalidACL
	}
	p := d.nodes.find(above)
	if p == nil {
		return nil, NoNode
	}
	if !may(p.ACL, PermCreate, d.who) {
		return nil, NoAuth
	}
	if q.Flags&Sequence != 0 {
		path += fmt.Sprintf("%010d", p.Creations)
	}
	switch {
	case !validPath(path):
		return nil, BadArguments
	case d.nodes.find(path) != nil:
		return nil, NodeExists
	case p.Owner != 0:
		return nil, NoChildrenForEphemerals
	}
	n := &Node{Path: path, Data: q.Data, ACL: acl, Czxid: d.zxid, Mzxid: d.zxid, Pzxid: d.zxid, Ctime: d.wall, Mtime: d.wall}
	if q.Flags&Ephemeral != 0 {
		n.Owner = d.session
	}
	d.put(n, p)
	return n, OK
}

// put adds a node below its parent.
func (d *draft) put(n, below *Node) {
	p := *below
	p.Creations++
	p.Children++
	p.Pzxid = d.zxid
	d.nodes = d.nodes.with(&p).with(n)
	d.events = append(d.events, event{NodeCreated, n.Path, n.ACL}, event{NodeChildrenChanged, p.Path, p.ACL})
	d.changed(n.Path, nil, n)
}

// delete deletes a node without children.
func (d *draft) delete(q *Request) Code {
	above, ok := parent(q.Path)
	if !ok || special(q.Path) {
		return BadArguments
	}
	p, n := d.nodes.find(above), d.nodes.find(q.Path)
	switch {
	case p == nil:
		return NoNode
	case !may(p.ACL, PermDelete, d.who):
		return NoAuth
	case n == nil:
		return NoNode
	case q.Version != -1 && q.Version != n.Version:
		return BadVersion
	case n.Children > 0:
		return NotEmpty
	}
	d.remove(n)
	return OK
}

// remove takes a node out of the tree.
func (d *draft) remove(n *Node) {
	above, _ := parent(n.Path)
	p := *d.nodes.find(above)
	p.Children--
	p.Pzxid = d.zxid
	d.nodes = d.nodes.without(n.Path).with(&p)
	d.events = append(d.events, event{NodeDeleted, n.Path, n.ACL}, event{NodeChildrenChanged, p.Path, p.ACL})
	d.changed(n.Path, n, nil)
}

// permission is what a request needs to be allowed.
var permission = map[Op]int32{SetData: PermWrite, SetACL: PermAdmin, Check: PermRead}

// set changes a node's data or ACL, or only checks its version.
func (d *draft) set(q *Request) (*Node, Code) {
	if !validPath(q.Path) {
		return nil, BadArguments
	}
	acl, ok := resolve(q.ACL, d.who)
	if q.Op == SetACL && !ok {
		return nil, InvalidACL
	}
	old := d.nodes.find(q.Path)
	if old == nil {
		return nil, NoNode
	}
	if !may(old.ACL, permission[q.Op], d.who) {
		return nil, NoAuth
	}
	n := *old
	version := &n.Version
	if q.Op == SetACL {
		version = &n.Aversion
	}
	if q.Version != -1 && q.Version != *version {
		return nil, BadVersion
	}
	*version++
	d.replace(old, &n, q, acl)
	return &n, OK
}

// replace puts the changed node in the place of the old one.
func (d *draft) replace(old, n *Node, q *Request, acl []ACL) {
	switch q.Op {
	case SetData:
		n.Data, n.Mzxid, n.Mtime = q.Data, d.zxid, d.wall
		d.nodes = d.nodes.with(n)
		d.events = append(d.events, event{NodeDataChanged, n.Path, n.ACL})
		d.changed(n.Path, old, n)
	case SetACL:
		n.ACL = acl
		d.nodes = d.nodes.with(n)
		d.changed(n.Path, old, n)
	}
}

func (d *draft) changed(path string, before, after *Node) {
	d.changes = append(d.changes, Change{path, before, after})
}
