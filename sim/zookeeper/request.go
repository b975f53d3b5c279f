package zookeeper

import "lockstep/internal/lang"

// A Request is what a client asks for. Which fields mean something depends on
// Op.
type Request struct {
	Xid       int32 // the client's number, which the reply repeats
	Op        Op
	Malformed bool // what follows the header cannot be read

	Path    string
	Data    []byte // nil is null; of Auth: the credentials
	ACL     []ACL
	Flags   int32 // of Create: see Ephemeral and Sequence
	Version int32 // that the node has to have; -1 for any
	Watch   bool
	Scheme  string    // of Auth
	Ops     []Request // of Multi
	// Watches are those of SetWatches, for data, existence and children. Zxid is
	// the last that the client has seen; Connect has it too.
	Watches [3][]string
	Zxid    int64

	// Of Connect: the timeout is in milliseconds, the session 0 for a new one.
	// Old says that the client is of a time without read-only servers: its reply
	// is a byte shorter.
	Timeout  int32
	Session  int64
	Password []byte
	Old      bool
}

// The flags of Create.
const (
	Ephemeral = 1
	Sequence  = 2
)

// withTTL says whether the request creates a node with a TTL.
func (q *Request) withTTL() bool {
	return (q.Op == Create || q.Op == Create2) && (q.Flags == 5 || q.Flags == 6)
}

// ParseRequest reads a request. The first of a connection is a connect. If not even
// the header can be read, or a connect as a whole, that is an error, at which a
// server closes the connection; Malformed says that the rest is wrong, at which it
// sends an error.
func ParseRequest(frame []byte, first bool) (Request, error) {
	r := reader{b: frame}
	if first {
		return parseConnect(&r)
	}
	q := Request{Xid: r.int(), Op: Op(r.int())}
	if r.bad {
		return q, lang.Errorf("no ZooKeeper request, %d bytes: it has no header", len(frame))
	}
	r.body(&q)
	q.Malformed = r.bad
	return q, nil
}

func parseConnect(r *reader) (Request, error) {
	n := len(r.b)
	q := Request{Op: Connect}
	r.read(q.fields())
	q.Old = len(r.b) == 0
	if r.bad {
		return q, lang.Errorf("a connection to ZooKeeper begins with a connect request, not with these %d bytes", n)
	}
	return q, nil
}

// fields are those of the bytes after the header, in order; of a Connect, of all bytes.
func (q *Request) fields() []any {
	unused := new(int32) // the protocol's version, and a type of Auth: the server looks at neither
	switch q.Op {
	case Connect:
		return []any{unused, &q.Zxid, &q.Timeout, &q.Session, &q.Password}
	case Create, Create2:
		return []any{&q.Path, &q.Data, &q.ACL, &q.Flags}
	case Delete, Check:
		return []any{&q.Path, &q.Version}
	case SetData:
		return []any{&q.Path, &q.Data, &q.Version}
	case SetACL:
		return []any{&q.Path, &q.ACL, &q.Version}
	case Exists, GetData, GetChildren, GetChildren2:
		return []any{&q.Path, &q.Watch}
	case GetACL, Sync:
		return []any{&q.Path}
	case Auth:
		return []any{unused, &q.Scheme, &q.Data}
	case SetWatches:
		return []any{&q.Zxid, &q.Watches[0], &q.Watches[1], &q.Watches[2]}
	}
	return nil
}

// body reads what follows the header.
func (r *reader) body(q *Request) {
	r.read(q.fields())
	if q.Op == Multi {
		r.multi(q)
	}
}

// multi reads the parts of a multi: a header before each, and one at the end.
func (r *reader) multi(q *Request) {
	for !r.bad {
		part := Request{Xid: q.Xid}
		var done bool
		if part.Op, done = r.multiHeader(); done {
			return
		}
		switch part.Op {
		case Create, Create2, Delete, SetData, Check:
			r.body(&part)
			q.Ops = append(q.Ops, part)
		default:
			r.bad = true
		}
	}
}

// AppendRequest appends the request as a client sends it.
func AppendRequest(b []byte, q Request) []byte {
	w := writer{b}
	if q.Op == Connect {
		w.write(q.fields())
		if !q.Old {
			w.bool(false)
		}
		return w.b
	}
	w.int(q.Xid)
	w.int(int32(q.Op))
	w.body(&q)
	return w.b
}

func (w *writer) body(q *Request) {
	w.write(q.fields())
	if q.Op != Multi {
		return
	}
	for i := range q.Ops {
		w.multiHeader(q.Ops[i].Op, false, -1)
		w.body(&q.Ops[i])
	}
	w.multiHeader(opError, true, -1)
}

// multiHeader reads what stands before each part of a multi, and at its end.
func (r *reader) multiHeader() (op Op, done bool) {
	op, done = Op(r.int()), r.bool()
	r.int() // an error, of a reply
	return op, done
}

// multiHeader writes what stands before each part of a multi, and at its end.
func (w *writer) multiHeader(op Op, done bool, code Code) {
	w.int(int32(op))
	w.bool(done)
	w.int(int32(code))
}
