package zookeeper

import (
	"bytes"
	"encoding/binary"
)

// This file takes out of the bytes what a client only hands back: the zxid in the
// header of each reply, of which it tells the server the last one when it has
// connected anew.

// Renews reports whether a request tells the server the last zxid that its client
// has read.
func (q *Request) Renews() bool { return q.Op == Connect || q.Op == SetWatches }

// Renew returns the frame of such a request with another zxid.
func Renew(frame []byte, first bool, zxid int64) []byte {
	at := 8 // after xid and op
	if first {
		at = 4 // after the version of the protocol
	}
	if len(frame) < at+8 {
		return frame
	}
	frame = bytes.Clone(frame)
	binary.BigEndian.PutUint64(frame[at:], uint64(zxid))
	return frame
}

// Unstamp returns the frame of a reply with the zxid 0, which a client ignores, and
// the zxid that it had. A welcome has none: it is 0, or -1 if the session has
// expired, with which the client forgets the last one.
func Unstamp(q *Request, frame []byte) (_ []byte, zxid int64) {
	r := reader{b: frame}
	if q.Op == Connect {
		r.int()
		r.int()
		if r.long() == 0 && !r.bad {
			return frame, -1
		}
		return frame, 0
	}
	r.int()
	zxid = r.long()
	if r.bad {
		return frame, 0
	}
	frame = bytes.Clone(frame)
	binary.BigEndian.PutUint64(frame[4:], 0)
	return frame, zxid
}
