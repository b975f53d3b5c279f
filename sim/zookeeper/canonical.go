package zookeeper

import (
	"encoding/binary"
	"reflect"
	"slices"

	"lockstep/sim/history"
)

// Append appends what identifies the state at a moment. Equal bytes mean the same
// future, for states with the same Config: deadlines are relative to now, and so is
// the tick to which they are rounded. Zxids and the ids of sessions are in it,
// because clients see them.
func (s *State) Append(b []byte, now history.Millis) []byte {
	at := s.Shift(-now)
	b = binary.AppendVarint(b, int64(now%s.config.Tick))
	for _, part := range []any{at.next, at.servers, at.sessions, at.conns} {
		b = appendValue(b, reflect.ValueOf(part))
	}
	return b
}

// appendValue appends a value with all that is in it.
func appendValue(b []byte, v reflect.Value) []byte {
	switch v.Kind() {
	case reflect.Pointer: // most of all values are in nodes
		return (*Node)(v.UnsafePointer()).append(b)
	case reflect.Struct:
		for i := range v.NumField() {
			b = appendValue(b, v.Field(i))
		}
		return b
	case reflect.String:
		return append(binary.AppendVarint(b, int64(v.Len())), v.String()...)
	case reflect.Slice:
		b = binary.AppendVarint(b, int64(v.Len()))
		for i := range v.Len() {
			b = appendValue(b, v.Index(i))
		}
		return b
	}
	return binary.AppendVarint(b, v.Int())
}

func (n *Node) append(b []byte) []byte {
	data := len(n.Data)
	if n.Data == nil {
		data = -1
	}
	for _, v := range [...]int64{
		n.Czxid, n.Mzxid, n.Pzxid, n.Ctime, n.Mtime, n.Owner, int64(n.Version), int64(n.Aversion), int64(n.Creations), int64(n.Children),
		int64(len(n.ACL)), int64(data), int64(len(n.Path)),
	} {
		b = binary.AppendVarint(b, v)
	}
	b = append(append(b, n.Data...), n.Path...)
	for _, a := range n.ACL {
		b = append(binary.AppendVarint(b, int64(a.Perms)), a.Scheme+"\x00"+a.Name+"\x00"...)
	}
	return b
}

// Shift returns the state moved in time. Its future is the same if it is moved by a
// multiple of Tick.
func (s State) Shift(by history.Millis) State {
	if by == 0 {
		return s
	}
	s.sessions = slices.Clone(s.sessions)
	for i := range s.sessions {
		s.sessions[i].deadline += by
	}
	return s
}
