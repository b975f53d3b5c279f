package sim

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"lockstep/sim/history"
)

// A NodeState is all of a node that can change a reply, as a value: an
// explorer keeps many and executes a command on each at most once.
type NodeState struct {
	Keys    []StoredKey // sorted
	Scripts []string    // that EVALSHA finds, sorted
	Watches []Watch     // sorted by connection
	Health
	Lag int // how many of its last writes Behind goes back; never changes
	// Behind is what its replica has, if that has missed the last write, the
	// last two, and so on.
	Behind []NodeState
}

// A StoredKey is one key. Only strings and hashes can be stored and loaded;
// no lock uses anything else.
type StoredKey struct {
	Key    string
	State  history.KeyState
	Fields []string // of a hash: field, value, field, value ...; nil for a string
	Raw    string   // of a string
}

// A Watch is what a connection WATCHes, and whether any of it has changed.
type Watch struct {
	Conn  string
	Keys  []string
	Dirty bool
	Gone  bool // the connection has ended with the node's process
}

// String writes the state so that equal text means equal replies.
func (s NodeState) String() string { return string(s.append(nil)) }

// append is String for a search, which asks for it all the time.
func (s *NodeState) append(b []byte) []byte {
	for i := range s.Keys {
		k := &s.Keys[i]
		b = append(strconv.AppendQuote(b, k.Key), k.State.Type...)
		b = appendQuoted(strconv.AppendQuote(b, k.Raw), k.Fields)
		b = strconv.AppendInt(b, int64(k.State.Deadline), 10)
	}
	b = appendQuoted(b, s.Scripts)
	for _, w := range s.Watches {
		b = appendQuoted(append(append(b, 'w'), w.Conn...), w.Keys)
		b = strconv.AppendBool(strconv.AppendBool(b, w.Dirty), w.Gone)
	}
	if s.Health != (Health{}) {
		b = fmt.Appendf(b, "%+v", s.Health)
	}
	for i := range s.Behind {
		b = append(s.Behind[i].append(append(b, '<')), '>')
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

// An Executed is what came of one unit.
type Executed struct {
	Raw     []byte // the reply's bytes
	Reply   string
	Changes []history.Change
}

// Execute lets a real miniredis in state s execute units that arrive over a
// connection, and returns the state after it.
func (s NodeState) Execute(name, conn string, units [][][]string, now history.Millis) (NodeState, []Executed, error) {
	for _, cmds := range units {
		if last := cmds[len(cmds)-1][0]; cmds[0][0] == "MULTI" && last != "EXEC" && last != "DISCARD" {
			return NodeState{}, nil, fmt.Errorf("sim: a transaction that is sent in parts cannot be explored: %v", cmds)
		}
	}
	n, peers, err := s.load(name, now)
	if err != nil {
		return NodeState{}, nil, err
	}
	defer n.mini.Close()
	done := n.executeAll(peers, conn, units, now)
	after, err := n.store(peers)
	if err != nil {
		return NodeState{}, nil, err
	}
	// Whether a WATCH is dirty shows only in EXEC, which ends it: each is
	// tried on a node of its own.
	for i := range after.Watches {
		w := &after.Watches[i]
		if w.Dirty, err = s.dirtied(name, conn, units, now, w.Conn); err != nil {
			return NodeState{}, nil, err
		}
	}
	after.Watches = append(after.Watches, s.gone()...)
	return after.Sorted(), done, nil
}

func (s NodeState) dirtied(name, conn string, units [][][]string, now history.Millis, watcher string) (bool, error) {
	n, peers, err := s.load(name, now)
	if err != nil {
		return false, err
	}
	defer n.mini.Close()
	n.executeAll(peers, conn, units, now)
	raw, _ := n.apply(peers[watcher], unit{cmds: [][]string{{"MULTI"}, {"EXEC"}}}, now)
	return unitReply(raw, 2) == "nil", nil
}

// Sorted returns the state in the order in which equal states are equal text.
func (s NodeState) Sorted() NodeState {
	slices.SortFunc(s.Keys, func(a, b StoredKey) int { return strings.Compare(a.Key, b.Key) })
	slices.SortFunc(s.Watches, func(a, b Watch) int { return strings.Compare(a.Conn, b.Conn) })
	return s
}

// Shift returns the state as it would be at another time.
func (s NodeState) Shift(by history.Millis) NodeState {
	if by == 0 {
		return s
	}
	s = s.shiftKeys(by)
	s.Behind = slices.Clone(s.Behind)
	for i := range s.Behind {
		s.Behind[i] = s.Behind[i].Shift(by)
	}
	return s
}

func (s NodeState) shiftKeys(by history.Millis) NodeState {
	s.Keys = slices.Clone(s.Keys)
	for i := range s.Keys {
		s.Keys[i].State = *shift(&s.Keys[i].State, by)
	}
	return s
}

// Shift returns what would have come of the unit at another time.
func (x Executed) Shift(by history.Millis) Executed {
	x.Changes = slices.Clone(x.Changes)
	for i := range x.Changes {
		ch := &x.Changes[i]
		ch.Before, ch.After = shift(ch.Before, by), shift(ch.After, by)
	}
	return x
}

func shift(k *history.KeyState, by history.Millis) *history.KeyState {
	if k == nil || k.Deadline == 0 {
		return k
	}
	moved := *k
	moved.Deadline += by
	return &moved
}

// Flush returns the state without scripts.
func (s NodeState) Flush() NodeState {
	s.Scripts = nil
	return s
}

// Forget returns the state without the WATCHes of the connections that are
// gone.
func (s NodeState) Forget(gone func(conn string) bool) NodeState {
	s.Watches = slices.DeleteFunc(slices.Clone(s.Watches), func(w Watch) bool { return gone(w.Conn) })
	return s
}

// Expire returns the state at a later moment and what has gone.
func (s NodeState) Expire(now history.Millis) (NodeState, []history.Change) {
	s.Behind = expireAll(s.Behind, now)
	var changes []history.Change
	keys := slices.Clone(s.Keys)
	keys = slices.DeleteFunc(keys, func(k StoredKey) bool {
		gone := k.State.Deadline > 0 && k.State.Deadline < now
		if gone {
			changes = append(changes, history.Change{Key: printable(k.Key), Before: &k.State})
		}
		return gone
	})
	if len(changes) == 0 {
		return s, nil
	}
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

// NextExpiry returns the moment at which the next key will be gone.
func (s NodeState) NextExpiry() (at history.Millis, ok bool) {
	for _, k := range s.Keys {
		if d := k.State.Deadline; d > 0 && (!ok || d+1 < at) {
			at, ok = d+1, true
		}
	}
	return at, ok
}

// load builds a node in state s.
func (s NodeState) load(name string, now history.Millis) (*node, map[string]*peer, error) {
	n, err := newNode(name)
	if err != nil {
		return nil, nil, err
	}
	n.Health, n.behind, n.lag = s.Health, s.Behind, s.Lag
	n.setTime(now)
	admin := newPeer()
	for _, script := range s.Scripts {
		n.mini.Server().Dispatch(admin.Peer, []string{"SCRIPT", "LOAD", script})
	}
	peers := map[string]*peer{}
	watch := func(dirty bool) {
		for _, w := range s.Watches {
			if w.Dirty == dirty && !w.Gone {
				peers[w.Conn] = newPeer()
				n.apply(peers[w.Conn], unit{cmds: [][]string{append([]string{"WATCH"}, w.Keys...)}}, now)
			}
		}
	}
	watch(true)
	for _, w := range s.Watches {
		if w.Dirty { // touch what it watches
			n.mini.Server().Dispatch(admin.Peer, []string{"SET", w.Keys[0], ""})
			n.mini.Server().Dispatch(admin.Peer, []string{"DEL", w.Keys[0]})
		}
	}
	for _, k := range s.Keys {
		if err := n.put(admin, k, now); err != nil {
			n.mini.Close()
			return nil, nil, err
		}
	}
	watch(false)
	n.refresh(now)
	return n, peers, nil
}

func (n *node) put(admin *peer, k StoredKey, now history.Millis) error {
	switch k.State.Type {
	case "string":
		n.mini.Server().Dispatch(admin.Peer, []string{"SET", k.Key, k.Raw})
	case "hash":
		n.mini.Server().Dispatch(admin.Peer, append([]string{"HSET", k.Key}, k.Fields...))
	default:
		return fmt.Errorf("sim: a key of type %s cannot be loaded", k.State.Type)
	}
	if k.State.Deadline > 0 {
		n.mini.SetTTL(k.Key, (k.State.Deadline-now).Duration()+grace)
	}
	return nil
}

// executeAll executes units over a connection, which need not exist yet.
func (n *node) executeAll(peers map[string]*peer, conn string, units [][][]string, now history.Millis) []Executed {
	if peers[conn] == nil {
		peers[conn] = newPeer()
	}
	var done []Executed
	for _, cmds := range units {
		raw, changes := n.apply(peers[conn], unit{cmds: cmds}, now)
		done = append(done, Executed{raw, unitReply(raw, len(cmds)), changes})
	}
	return done
}

// store reads a node's state back.
func (n *node) store(peers map[string]*peer) (NodeState, error) {
	s := NodeState{Health: n.Health, Lag: n.lag, Behind: n.behind}
	for _, key := range n.mini.Keys() {
		k := StoredKey{Key: key}
		for _, view := range n.keys {
			if view.Key == printable(key) {
				k.State = view.State
			}
		}
		switch k.State.Type {
		case "string":
			k.Raw, _ = n.mini.Get(key) // it is there and a string
		case "hash":
			fields, _ := n.mini.HKeys(key) // sorted
			for _, f := range fields {
				k.Fields = append(k.Fields, f, n.mini.HGet(key, f))
			}
		default:
			return NodeState{}, fmt.Errorf("sim: a key of type %s cannot be stored", k.State.Type)
		}
		s.Keys = append(s.Keys, k)
	}
	s.Scripts = slices.Clone(n.scripts)
	slices.Sort(s.Scripts)
	for conn, p := range peers {
		if len(p.watch) > 0 {
			s.Watches = append(s.Watches, Watch{Conn: conn, Keys: p.watch})
		}
	}
	slices.SortFunc(s.Watches, func(a, b Watch) int { return strings.Compare(a.Conn, b.Conn) })
	return s, nil
}
