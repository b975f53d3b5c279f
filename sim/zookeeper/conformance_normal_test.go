package zookeeper

import (
	"fmt"
	"slices"
)

// normal returns all that a frame says, as text: times of nodes are left out, which a
// test does not know, and the names of children sorted, whose order is that of a hash
// table in ZooKeeper.
func normal(q *Request, o Out) string {
	switch {
	case o.Close:
		return "closed"
	case o.Event:
		return fmt.Sprintf("event %s %x", EventText(o.Frame), o.Frame)
	case q.Op == Connect:
		return fmt.Sprintf("reply %x", o.Frame)
	}
	r := reader{b: o.Frame}
	xid, zxid, code := r.int(), r.long(), Code(r.int())
	text := fmt.Sprintf("%v xid=%d zxid=%d", code, xid, zxid)
	if code == OK {
		text += r.normal(q)
	}
	return fmt.Sprintf("%s rest=%x bad=%t", text, r.b, r.bad)
}

func (r *reader) normal(q *Request) (text string) {
	stat := func() string {
		s := r.stat()
		s.Ctime, s.Mtime = 0, 0
		return fmt.Sprintf(" %+v", s)
	}
	switch q.Op {
	case Create:
		return fmt.Sprintf(" %q", r.text())
	case Create2:
		return fmt.Sprintf(" %q", r.text()) + stat()
	case Exists, SetData, SetACL:
		return stat()
	case GetData:
		return fmt.Sprintf(" %#v", r.buffer()) + stat()
	case GetACL:
		return fmt.Sprint(" ", r.acls()) + stat()
	case GetChildren, GetChildren2:
		names := r.texts()
		slices.Sort(names)
		text = fmt.Sprintf(" %q", names)
		if q.Op == GetChildren2 {
			text += stat()
		}
		return text
	case Multi:
		return r.normalMulti()
	}
	return text
}

func (r *reader) normalMulti() (text string) {
	for !r.bad {
		op, done, code := Op(r.int()), r.bool(), Code(r.int())
		text += fmt.Sprintf(" [%v %t %v]", op, done, code)
		switch {
		case done:
			return text
		case op == opError:
			text += fmt.Sprint(" ", Code(r.int()))
		default:
			text += r.normal(&Request{Op: op})
		}
	}
	return text
}
