package zookeeper

import (
	"encoding/binary"
	"slices"
	"unicode/utf16"
	"unicode/utf8"

	"lockstep/internal/lang"
)

// MaxFrame is the length of the longest frame that a server accepts, in bytes:
// the default of jute.maxbuffer.
const MaxFrame = 0xfffff

// Cut takes the first frame off a stream of bytes. ok is false if it is not yet
// complete. A length below 0 or above MaxFrame is an error, after which nothing
// more can be read from the stream: a server closes the connection.
func Cut(stream []byte) (frame, rest []byte, ok bool, err error) {
	if len(stream) < 4 {
		return nil, stream, false, nil
	}
	n := int32(binary.BigEndian.Uint32(stream))
	if n < 0 || n > MaxFrame {
		return nil, stream, false, lang.Errorf("a frame of %d bytes; ZooKeeper accepts 0 to %d", n, MaxFrame)
	}
	if len(stream)-4 < int(n) {
		return nil, stream, false, nil
	}
	return stream[4 : 4+n], stream[4+n:], true, nil
}

// AppendFrame appends a frame and, before it, its length.
func AppendFrame(b, frame []byte) []byte {
	return append(binary.BigEndian.AppendUint32(b, uint32(len(frame))), frame...)
}

// A reader takes values of jute, the format of ZooKeeper's records, off bytes.
// What cannot be read is zero, and bad from then on. Like the server's own, it
// ignores bytes behind a record.
type reader struct {
	b   []byte
	bad bool
}

// take returns the next n bytes, and zeros if there are fewer.
func (r *reader) take(n int) []byte {
	if r.bad || n < 0 || n > len(r.b) {
		r.bad = true
		return make([]byte, min(max(n, 0), statLength))
	}
	taken := r.b[:n]
	r.b = r.b[n:]
	return taken
}

func (r *reader) int() int32  { return int32(binary.BigEndian.Uint32(r.take(4))) }
func (r *reader) long() int64 { return int64(binary.BigEndian.Uint64(r.take(8))) }
func (r *reader) bool() bool  { return r.take(1)[0] != 0 }

// buffer reads bytes, which may be null: nil then.
func (r *reader) buffer() []byte {
	n := r.int()
	if n == -1 || r.bad {
		return nil
	}
	taken := r.take(int(n))
	if r.bad {
		return nil
	}
	return append(make([]byte, 0, len(taken)), taken...)
}

// text reads a string. A null one is bad: no request has a use for it, and the
// server fails at it as at bytes that it cannot read. What is not UTF-8 becomes
// U+FFFD, as it does in the server.
func (r *reader) text() string {
	n := r.int()
	if n == -1 || r.bad {
		r.bad = true
		return ""
	}
	taken := r.take(int(n))
	if r.bad {
		return ""
	}
	if !utf8.Valid(taken) {
		return string([]rune(string(taken)))
	}
	return string(taken)
}

// texts reads a list of strings. A null list is bad.
func (r *reader) texts() []string {
	n := r.int()
	r.bad = r.bad || n == -1
	var list []string
	for ; n > 0 && !r.bad; n-- {
		list = append(list, r.text())
	}
	return list
}

// acls reads a list, which may be null.
func (r *reader) acls() []ACL {
	var list []ACL
	for n := r.int(); n > 0 && !r.bad; n-- {
		list = append(list, ACL{Perms: r.int(), ID: ID{r.text(), r.text()}})
	}
	return list
}

// stat reads what writer.stat writes.
func (r *reader) stat() (s Stat) {
	_, _ = binary.Decode(r.take(statLength), binary.BigEndian, &s) // it has the length
	return s
}

// read reads values into variables.
func (r *reader) read(fields []any) {
	for _, to := range fields {
		switch to := to.(type) {
		case *int32:
			*to = r.int()
		case *int64:
			*to = r.long()
		case *bool:
			*to = r.bool()
		case *string:
			*to = r.text()
		case *[]byte:
			*to = r.buffer()
		case *[]string:
			*to = r.texts()
		case *[]ACL:
			*to = r.acls()
		}
	}
}

// A writer appends values of jute.
type writer struct{ b []byte }

func (w *writer) int(v int32)  { w.b = binary.BigEndian.AppendUint32(w.b, uint32(v)) }
func (w *writer) long(v int64) { w.b = binary.BigEndian.AppendUint64(w.b, uint64(v)) }

func (w *writer) bool(v bool) {
	if v {
		w.b = append(w.b, 1)
		return
	}
	w.b = append(w.b, 0)
}

// buffer writes bytes; nil is null.
func (w *writer) buffer(v []byte) {
	if v == nil {
		w.int(-1)
		return
	}
	w.int(int32(len(v)))
	w.b = append(w.b, v...)
}

func (w *writer) text(v string) {
	w.int(int32(len(v)))
	w.b = append(w.b, v...)
}

// echo writes a path that is perhaps none as the server does: each character
// outside of the Basic Multilingual Plane as its two surrogates.
func (w *writer) echo(v string) {
	at := len(w.b)
	w.int(0)
	for _, r := range v {
		if high, low := utf16.EncodeRune(r); high != utf8.RuneError {
			for _, half := range []rune{high, low} {
				w.b = append(w.b, 0xe0|byte(half>>12), 0x80|byte(half>>6)&0xbf, 0x80|byte(half)&0xbf)
			}
			continue
		}
		w.b = utf8.AppendRune(w.b, r)
	}
	binary.BigEndian.PutUint32(w.b[at:], uint32(len(w.b)-at-4))
}

func (w *writer) texts(list []string) {
	w.int(int32(len(list)))
	for _, v := range list {
		w.text(v)
	}
}

func (w *writer) acls(list []ACL) {
	w.int(int32(len(list)))
	for _, a := range list {
		w.int(a.Perms)
		w.text(a.Scheme)
		w.text(a.Name)
	}
}

func (w *writer) stat(s Stat) {
	w.b, _ = binary.Append(w.b, binary.BigEndian, s) // all of its fields have a length
}

// write writes the values of variables.
func (w *writer) write(fields []any) {
	for _, of := range fields {
		switch of := of.(type) {
		case *int32:
			w.int(*of)
		case *int64:
			w.long(*of)
		case *bool:
			w.bool(*of)
		case *string:
			w.text(*of)
		case *[]byte:
			w.buffer(*of)
		case *[]string:
			w.texts(*of)
		case *[]ACL:
			w.acls(*of)
		}
	}
}

// header writes the header of a reply.
func (w *writer) header(xid int32, zxid int64, code Code) {
	w.b = slices.Grow(w.b, 16)
	w.int(xid)
	w.long(zxid)
	w.int(int32(code))
}
