package zookeeper

import (
	"encoding/binary"
	"slices"
)

// A Reply is what a client reads in the reply to a request other than a connect
// or a multi. What the request does not ask for is zero.
type Reply struct {
	Zxid     int64 // the server's last transaction
	Code     Code
	Data     []byte
	Children []string
	Stat     Stat
}

// ParseReply reads the reply to GetData or GetChildren2, or the header of any. ok
// is false if it is no reply.
func ParseReply(op Op, frame []byte) (p Reply, ok bool) {
	r := reader{b: frame}
	r.int()
	p.Zxid, p.Code = r.long(), Code(r.int())
	switch {
	case p.Code != OK:
	case op == GetData:
		p.Data, p.Stat = r.buffer(), r.stat()
	case op == GetChildren2:
		p.Children, p.Stat = r.texts(), r.stat()
	}
	return p, !r.bad
}

// XidOf returns the number of the request that a frame replies to, which is
// negative for an event, a ping and an auth.
func XidOf(frame []byte) int32 {
	r := reader{b: frame}
	return r.int()
}

// FirstSession is the id of the first session of a State.
const FirstSession = int64(1) << 56

// A Numbering translates what each ensemble numbers for itself: transactions
// and sessions; and timeouts, where one goes faster than the other.
type Numbering struct {
	Zxid, Session func(int64) int64
	Timeout       func(int32) int32
}

// Request returns the frame of a request with other numbers.
func (n Numbering) Request(q Request, frame []byte) []byte {
	switch q.Op {
	case Connect:
		q.Zxid, q.Session, q.Timeout = n.Zxid(q.Zxid), n.Session(q.Session), n.Timeout(q.Timeout)
	case SetWatches:
		if q.Malformed {
			return frame
		}
		q.Zxid = n.Zxid(q.Zxid)
	default:
		return frame
	}
	return AppendRequest(nil, q)
}

// Reply returns the frame of the reply to a request with other numbers.
func (n Numbering) Reply(q *Request, frame []byte) []byte {
	b := slices.Clone(frame)
	long := func(at int, f func(int64) int64) {
		if at >= 0 && at+8 <= len(b) {
			binary.BigEndian.PutUint64(b[at:], uint64(f(int64(binary.BigEndian.Uint64(b[at:])))))
		}
	}
	const xid, version, timeout = 4, 4, 4 // the lengths of fields before the numbers
	if q.Op == Connect {
		if len(b) >= version+timeout {
			binary.BigEndian.PutUint32(b[version:], uint32(n.Timeout(int32(binary.BigEndian.Uint32(b[version:])))))
		}
		long(version+timeout, n.Session)
		return b
	}
	long(xid, n.Zxid)
	for _, at := range statsIn(q, b) {
		for _, field := range []int{0, 8, statLength - 8} { // Czxid, Mzxid, Pzxid
			long(at+field, n.Zxid)
		}
		long(at+44, n.Session) // EphemeralOwner
	}
	return b
}

// statLength is the length of a Stat in bytes.
const statLength = 68

// statsIn returns where the stats in a reply begin.
func statsIn(q *Request, frame []byte) (at []int) {
	r := reader{b: frame}
	r.take(12)
	if Code(r.int()) != OK || r.bad {
		return nil
	}
	switch q.Op {
	case Create2, Exists, SetData, SetACL, GetData, GetACL, GetChildren2: // at the end
		return []int{len(frame) - statLength}
	case Multi:
		for !r.bad {
			op, done := r.multiHeader()
			if done {
				return at
			}
			switch op {
			case opError:
				r.int()
			case Create:
				r.text()
			case Create2, SetData:
				if op == Create2 {
					r.text()
				}
				at = append(at, len(frame)-len(r.b))
				r.take(statLength)
			}
		}
	}
	return at
}

// ParseWelcome reads the reply to a connect: the session, 0 if it is refused or this
// is no such reply, and its password.
func ParseWelcome(frame []byte) (session int64, password []byte) {
	r := reader{b: frame}
	r.take(8)
	return r.long(), r.buffer()
}
