package server

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/resp"
)

// A NodeState holds, as a value, all of a node that can change a reply. An
// explorer keeps many, and executes a command on each at most once.
type NodeState struct {
	Keys    []StoredKey // sorted
	Scripts []string    // that EVALSHA finds, sorted
	Watches []Watch     // sorted by connection
	sim.Health
	Lag int // the maximum length of Behind; constant
	// Behind lists the states of a replica that has missed the last write, the
	// last two, and so on.
	Behind []NodeState
}

// A StoredKey is one key: a string, a hash, a list or a set. Locks use no other
// types.
type StoredKey struct {
	Key   string
	State history.KeyState
	Parts []string       // see parts; nil for a string
	Raw   string         // the value of a string
	Rest  history.Millis // see KeyView
}

// A Watch is the keys that a connection WATCHes, and whether one has changed.
type Watch struct {
	Conn  string
	Keys  []string
	Dirty bool
	Gone  bool // the connection ended with the node's process
}

// String returns the state as text. Equal text means equal replies.
func (s NodeState) String() string { return string(s.Append(nil)) }

// Append appends String. A search calls it often.
func (s *NodeState) Append(b []byte) []byte {
	for i := range s.Keys {
		k := &s.Keys[i]
		b = append(strconv.AppendQuote(b, k.Key), k.State.Type...)
		b = appendQuoted(strconv.AppendQuote(b, k.Raw), k.Parts)
		b = strconv.AppendInt(b, int64(k.State.Deadline), 10)
		if k.Rest != 0 {
			b = strconv.AppendInt(append(b, '+'), int64(k.Rest), 10)
		}
	}
	b = appendQuoted(b, s.Scripts)
	for _, w := range s.Watches {
		b = appendQuoted(append(append(b, 'w'), w.Conn...), w.Keys)
		b = strconv.AppendBool(strconv.AppendBool(b, w.Dirty), w.Gone)
	}
	if s.Health != (sim.Health{}) {
		b = fmt.Appendf(b, "%+v", s.Health)
	}
	for i := range s.Behind {
		b = append(s.Behind[i].Append(append(b, '<')), '>')
	}
	return b
}

func appendQuoted(b []byte, words []string) []byte {
	b = append(b, '[')
	for _, w := range words {
		b = strconv.AppendQuote(b, w)
	}
	return append(b, ']')
}

// Sorted returns the state in canonical order, so that equal states have equal
// text.
func (s NodeState) Sorted() NodeState {
	slices.SortFunc(s.Keys, func(a, b StoredKey) int { return strings.Compare(a.Key, b.Key) })
	slices.SortFunc(s.Watches, func(a, b Watch) int { return strings.Compare(a.Conn, b.Conn) })
	return s
}

// Shift returns the state moved in time.
func (s NodeState) Shift(by history.Millis) NodeState {
	if by == 0 {
		return s
	}
	s.Clock = s.Clock.Shift(by)
	s.Keys = slices.Clone(s.Keys)
	for i := range s.Keys {
		if k := &s.Keys[i].State; k.Deadline != 0 {
			k.Deadline += by
		}
	}
	s.Behind = slices.Clone(s.Behind)
	for i := range s.Behind {
		s.Behind[i] = s.Behind[i].Shift(by)
	}
	return s
}

// Forget returns the state without the WATCHes of some connections.
func (s NodeState) Forget(gone func(conn string) bool) NodeState {
	s.Watches = slices.DeleteFunc(slices.Clone(s.Watches), func(w Watch) bool { return gone(w.Conn) })
	return s
}

// Expire returns the state at a later time, and the expired keys.
func (s NodeState) Expire(now history.Millis) (NodeState, []history.Change) {
	if len(s.Behind) > 0 {
		s.Behind = expireAll(s.Behind, now)
	}
	if at, expires := s.NextExpiry(); !expires || at > now {
		return s, nil
	}
	var changes []history.Change
	keys := slices.Clone(s.Keys)
	keys = slices.DeleteFunc(keys, func(k StoredKey) bool {
		gone := k.State.Deadline != 0 && k.State.Deadline < now
		if gone {
			changes = append(changes, history.Change{Key: resp.Printable(k.Key), Before: &k.State})
		}
		return gone
	})
	watches := slices.Clone(s.Watches)
	for i, w := range watches {
		for _, ch := range changes {
			watches[i].Dirty = watches[i].Dirty || slices.Contains(w.Keys, ch.Key)
		}
	}
	s.Keys, s.Watches = keys, watches
	return s, changes
}

func expireAll(states []NodeState, now history.Millis) []NodeState {
	states = slices.Clone(states)
	for i := range states {
		states[i], _ = states[i].Expire(now)
	}
	return states
}

// NextExpiry returns when the next key expires.
func (s NodeState) NextExpiry() (at history.Millis, ok bool) {
	for _, k := range s.Keys {
		if d := k.State.Deadline; d != 0 && (!ok || d+1 < at) {
			at, ok = d+1, true
		}
	}
	return at, ok
}
