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

// A NodeState is a Redis node as a Value: all of it that can change a reply.
type NodeState struct {
	Keys    []StoredKey // sorted
	Scripts []string    // that EVALSHA finds, sorted
	Watches []Watch     // sorted by connection
	Blocked []Blocked   // the longest waiting first
	sim.Health
	Lag int // the maximum length of Behind; constant
	// Behind lists the states of a replica that has missed the last write, the
	// last two, and so on.
	Behind []NodeState
}

// A StoredKey is one key: a string, a hash, a list, a set or a sorted set.
type StoredKey struct {
	Key   string
	State history.KeyState
	Parts []string // see parts; nil for a string
	Raw   string   // the value of a string
	// Rest is the time from Deadline to the key's end on the node's clock. It is less than
	// that clock advances in a millisecond of the world.
	Rest history.Millis
	// ByField means that each field of a hash ends at the deadline, and the key with them.
	ByField bool
}

// A Watch is what a node keeps for a connection: the keys that it WATCHes and
// whether one has changed, the channels that it SUBSCRIBEs to, and the messages
// that its client has not read.
type Watch struct {
	Conn     string
	Keys     []string
	Dirty    bool
	Gone     bool // the connection ended with the node's process
	Channels []string
	Patterns []string
	Listened bool // it has had a channel or a pattern
	Unread   []Unread
	Multi    bool       // between MULTI and EXEC
	Queue    [][]string // the commands for EXEC
	Refused  bool       // a command could not be queued, and EXEC will refuse
}

// An Unread is a message that a node has sent, and its client has not read.
type Unread struct{ Raw, Text string }

// A Blocked is a command that a node holds until a key has something for it.
type Blocked struct {
	Conn     string
	Cmd      []string
	Deadline history.Millis // the last moment at which it waits; 0 for none
	Rest     history.Millis // see StoredKey
}

// over reports whether it has waited for as long as it may.
func (b *Blocked) over(now history.Millis) bool { return b.Deadline != 0 && b.Deadline < now }

// String returns the state as text. Equal text means equal replies.
func (s NodeState) String() string { return string(s.Append(nil)) }

// Append is Value's. A search calls it often.
func (s NodeState) Append(b []byte) []byte {
	for i := range s.Keys {
		k := &s.Keys[i]
		b = append(strconv.AppendQuote(b, k.Key), k.State.Type...)
		b = appendQuoted(strconv.AppendQuote(b, k.Raw), k.Parts)
		if b = strconv.AppendInt(b, int64(k.State.Deadline), 10); k.ByField {
			b = append(b, 'f')
		}
		if k.Rest != 0 {
			b = strconv.AppendInt(append(b, '+'), int64(k.Rest), 10)
		}
	}
	b = appendQuoted(b, s.Scripts)
	for _, w := range s.Watches {
		b = appendQuoted(append(append(b, 'w'), w.Conn...), w.Keys)
		b = strconv.AppendBool(strconv.AppendBool(b, w.Dirty), w.Gone)
		if w.Listened {
			b = appendQuoted(appendQuoted(b, w.Channels), w.Patterns)
		}
		for _, u := range w.Unread {
			b = strconv.AppendQuote(b, u.Raw)
		}
		if w.Multi {
			b = strconv.AppendBool(append(b, 'm'), w.Refused)
			for _, cmd := range w.Queue {
				b = appendQuoted(b, cmd)
			}
		}
	}
	for _, held := range s.Blocked {
		b = appendQuoted(append(append(b, 'b'), held.Conn...), held.Cmd)
		b = strconv.AppendInt(b, int64(held.Deadline), 10)
		if held.Rest != 0 {
			b = strconv.AppendInt(append(b, '+'), int64(held.Rest), 10)
		}
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

// Shift is Value's.
func (s NodeState) Shift(by history.Millis) Value { return s.shift(by) }

func (s NodeState) shift(by history.Millis) NodeState {
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
	s.Blocked = slices.Clone(s.Blocked)
	for i := range s.Blocked {
		if b := &s.Blocked[i]; b.Deadline != 0 {
			b.Deadline += by
		}
	}
	s.Behind = slices.Clone(s.Behind)
	for i := range s.Behind {
		s.Behind[i] = s.Behind[i].shift(by)
	}
	return s
}

// Forget is Value's.
func (s NodeState) Forget(gone func(conn string) bool) Value {
	if len(s.Watches)+len(s.Blocked) == 0 {
		return s
	}
	s.Watches = slices.DeleteFunc(slices.Clone(s.Watches), func(w Watch) bool { return gone(w.Conn) })
	s.Blocked = slices.DeleteFunc(slices.Clone(s.Blocked), func(b Blocked) bool { return gone(b.Conn) })
	return s
}

// Pass is Value's.
func (s NodeState) Pass(now history.Millis) (Value, sim.Happened) {
	s, changes := s.Expire(now)
	s, sent := s.giveUp(now)
	return s, sim.Happened{Changes: changes, Sent: sent}
}

// giveUp answers the held commands that have waited for as long as they may.
func (s NodeState) giveUp(now history.Millis) (_ NodeState, sent []sim.Message) {
	for i := 0; i < len(s.Blocked); {
		held := s.Blocked[i]
		if !held.over(now) {
			i++
			continue
		}
		msg := nothing(held.Conn)
		s.Blocked = slices.Delete(slices.Clone(s.Blocked), i, i+1)
		s = s.send(msg)
		sent = append(sent, msg)
	}
	return s, sent
}

// nothing is the reply to a command that a node has held for as long as it may.
func nothing(conn string) sim.Message { return sim.Message{Conn: conn, Raw: "*-1\r\n", Text: "nil"} }

// send returns the state with one more message for a connection.
func (s NodeState) send(msg sim.Message) NodeState {
	s.Watches = slices.Clone(s.Watches)
	at := slices.IndexFunc(s.Watches, func(w Watch) bool { return w.Conn == msg.Conn })
	if at < 0 {
		at = len(s.Watches)
		s.Watches = append(s.Watches, Watch{Conn: msg.Conn})
	}
	s.Watches[at].Unread = append(slices.Clone(s.Watches[at].Unread), Unread{msg.Raw, msg.Text})
	return s.Sorted()
}

// Unread is Value's.
func (s NodeState) Unread(conn string) (sim.Message, bool) {
	for _, w := range s.Watches {
		if w.Conn == conn && len(w.Unread) > 0 {
			return sim.Message{Conn: conn, Raw: w.Unread[0].Raw, Text: w.Unread[0].Text}, true
		}
	}
	return sim.Message{}, false
}

// Take is Value's.
func (s NodeState) Take(conn string) Value {
	s.Watches = slices.Clone(s.Watches)
	for i := range s.Watches {
		if w := &s.Watches[i]; w.Conn == conn {
			w.Unread = slices.Clone(w.Unread[1:])
		}
	}
	s.Watches = slices.DeleteFunc(s.Watches, Watch.empty)
	return s
}

// empty reports whether the node would not miss the connection.
func (w Watch) empty() bool {
	return len(w.Keys) == 0 && !w.Listened && len(w.Unread) == 0 && !w.Multi && !w.Gone
}

// Expire returns the state at a later time, and the expired keys.
func (s NodeState) Expire(now history.Millis) (NodeState, []history.Change) {
	if len(s.Behind) > 0 {
		s.Behind = expireAll(s.Behind, now)
	}
	if at, expires := s.nextKey(); !expires || at > now {
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

// NextExpiry is Value's: a key expires, or a held command is answered with nothing.
func (s NodeState) NextExpiry() (at history.Millis, ok bool) {
	at, ok = s.nextKey()
	for _, b := range s.Blocked {
		if d := b.Deadline; d != 0 && (!ok || d+1 < at) {
			at, ok = d+1, true
		}
	}
	return at, ok
}

// nextKey returns when the next key expires.
func (s NodeState) nextKey() (at history.Millis, ok bool) {
	for _, k := range s.Keys {
		if d := k.State.Deadline; d != 0 && (!ok || d+1 < at) {
			at, ok = d+1, true
		}
	}
	return at, ok
}
