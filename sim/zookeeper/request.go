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

	// Of Connect: the time-out is in milliseconds, the session 0 for a new one.
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
	r.int() // the protocol's version, which the server does not look at
	q := Request{Op: Connect, Zxid: r.long(), Timeout: r.int(), Session: r.long(), Password: r.buffer()}
	q.Old = len(r.b) == 0
	if r.bad {
		return q, lang.Errorf("a connection to ZooKeeper begins with a connect request, not with these %d bytes", n)
	}
	return q, nil
}

// body reads what follows the header.
func (r *reader) body(q *Request) {
	switch q.Op {
	case Create, Create2:
		q.Path, q.Data, q.ACL, q.Flags = r.text(), r.buffer(), r.acls(), r.int()
	case Delete, Check:
		q.Path, q.Version = r.text(), r.int()
	case SetData:
		q.Path, q.Data, q.Version = r.text(), r.buffer(), r.int()
	case SetACL:
		q.Path, q.ACL, q.Version = r.text(), r.acls(), r.int()
	case Exists, GetData, GetChildren, GetChildren2:
		q.Path, q.Watch = r.text(), r.bool()
	case GetACL, Sync:
		q.Path = r.text()
	case Auth:
		r.int() // a type that nobody uses
		q.Scheme, q.Data = r.text(), r.buffer()
	case SetWatches:
		q.Zxid = r.long()
		q.Watches = [3][]string{r.texts(), r.texts(), r.texts()}
	case Multi:
		r.multi(q)
	}
}

// multi reads the parts of a multi: a header before each, and one at the end.
func (r *reader) multi(q *Request) {
	for !r.bad {
		part := Request{Xid: q.Xid, Op: Op(r.int())}
		done := r.bool()
		r.int() // an error, of a reply
		if done {
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
		w.int(0)
		w.long(q.Zxid)
		w.int(q.Timeout)
		w.long(q.Session)
		w.buffer(q.Password)
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
	switch q.Op {
	case Create, Create2:
		w.text(q.Path)
		w.buffer(q.Data)
		w.acls(q.ACL)
		w.int(q.Flags)
	case Delete, Check:
		w.text(q.Path)
		w.int(q.Version)
	case SetData:
		w.text(q.Path)
		w.buffer(q.Data)
		w.int(q.Version)
	case SetACL:
		w.text(q.Path)
		w.acls(q.ACL)
		w.int(q.Version)
	case Exists, GetData, GetChildren, GetChildren2:
		w.text(q.Path)
		w.bool(q.Watch)
	case GetACL, Sync:
		w.text(q.Path)
	case Auth:
		w.int(0)
		w.text(q.Scheme)
		w.buffer(q.Data)
	case SetWatches:
		w.long(q.Zxid)
		for _, list := range q.Watches {
			w.texts(list)
		}
	case Multi:
		for i := range q.Ops {
			w.multiHeader(q.Ops[i].Op, false, -1)
			w.body(&q.Ops[i])
		}
		w.multiHeader(opError, true, -1)
	}
}

// multiHeader writes what stands before each part of a multi, and at its end.
func (w *writer) multiHeader(op Op, done bool, code Code) {
	w.int(int32(op))
	w.bool(done)
	w.int(int32(code))
}
