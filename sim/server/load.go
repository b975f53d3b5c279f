package server

import (
	"maps"
	"slices"
	"strconv"

	"lockstep/internal/lang"
	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/resp"
)

// This file converts a stored state to a node and back.

// Execute lets a real miniredis in state s execute units that arrive over a
// connection, and returns the state after them.
func (s NodeState) Execute(name, conn string, units []sim.Unit, now history.Millis) (NodeState, []sim.Executed, error) {
	for _, u := range units {
		if last := u.Cmds[len(u.Cmds)-1][0]; u.Cmds[0][0] == "MULTI" && last != "EXEC" && last != "DISCARD" {
			return NodeState{}, nil, lang.Errorf("server: a transaction that is sent in parts cannot be explored: %v", u.Cmds)
		}
	}
	n, err := s.load(name, now)
	if err != nil {
		return NodeState{}, nil, err
	}
	defer n.end()
	done := n.executeAll(conn, units)
	if err := n.complete(done, units); err != nil {
		return NodeState{}, nil, err
	}
	after, err := n.store()
	if err != nil {
		return NodeState{}, nil, err
	}
	// Only EXEC shows whether a WATCH is dirty, and EXEC ends it. Each is tried
	// on its own node.
	for i := range after.Watches {
		if w := &after.Watches[i]; !w.Gone && len(w.Keys) > 0 {
			if w.Dirty, err = s.dirtied(name, conn, units, now, w.Conn); err != nil {
				return NodeState{}, nil, err
			}
		}
	}
	return after.Sorted(), done, nil
}

func (s NodeState) dirtied(name, conn string, units []sim.Unit, now history.Millis, watcher string) (bool, error) {
	n, err := s.load(name, now)
	if err != nil {
		return false, err
	}
	defer n.end()
	n.executeAll(conn, units)
	p := n.peers[watcher]
	p.channels, p.patterns = nil, nil // otherwise it may not ask
	raw, _ := n.apply(p, [][]string{{"MULTI"}, {"EXEC"}})
	return unitReply(raw, 2) == "nil", nil
}

// load builds a node in state s.
func (s NodeState) load(name string, now history.Millis) (*Embedded, error) {
	n, err := NewEmbedded(name, s.Lag)
	if err != nil {
		return nil, err
	}
	n.health, n.behind, n.blocked = s.Health, s.Behind, slices.Clone(s.Blocked)
	n.setTime(now)
	admin := newPeer("")
	for _, script := range s.Scripts {
		n.mini.Server().Dispatch(admin.Peer, []string{"SCRIPT", "LOAD", script})
	}
	watch := func(dirty bool) {
		for _, w := range s.Watches {
			if w.Dirty == dirty && !w.Gone {
				p := n.peerOf(w.Conn)
				if len(w.Keys) > 0 {
					n.apply(p, [][]string{append([]string{"WATCH"}, w.Keys...)})
				}
				p.channels, p.patterns, p.listened, p.unread = w.Channels, w.Patterns, w.Listened, w.Unread
			}
		}
	}
	watch(true)
	for _, w := range s.Watches {
		if w.Gone {
			n.gone[w.Conn] = true
		}
		if w.Dirty { // change a watched key
			n.mini.Server().Dispatch(admin.Peer, []string{"SET", w.Keys[0], ""})
			n.mini.Server().Dispatch(admin.Peer, []string{"DEL", w.Keys[0]})
		}
	}
	for _, k := range s.Keys {
		if err := n.put(admin, k); err != nil {
			n.end()
			return nil, err
		}
	}
	n.refresh() // a replica cannot have missed loaded keys
	watch(false)
	return n, nil
}

func (n *Embedded) put(admin *peer, k StoredKey) error {
	switch k.State.Type {
	case "string":
		n.mini.Server().Dispatch(admin.Peer, []string{"SET", k.Key, k.Raw})
	case "hash":
		n.mini.Server().Dispatch(admin.Peer, append([]string{"HSET", k.Key}, k.Parts...))
	case "list":
		n.mini.Server().Dispatch(admin.Peer, append([]string{"RPUSH", k.Key}, k.Parts...))
	case "set":
		n.mini.Server().Dispatch(admin.Peer, append([]string{"SADD", k.Key}, k.Parts...))
	case "zset":
		for pair := range slices.Chunk(k.Parts, 2) {
			score, _ := strconv.ParseFloat(pair[1], 64) // written by parts
			_, _ = n.mini.ZAdd(k.Key, score, pair[0])   // the key is a sorted set
		}
	default:
		return lang.Errorf("server: a key of type %s cannot be loaded", k.State.Type)
	}
	n.putTTL(k)
	return nil
}

func (n *Embedded) putTTL(k StoredKey) {
	if k.State.Deadline > 0 {
		n.mini.SetTTL(k.Key, (k.until(n.health.Clock)-n.now).Duration()+grace)
	}
}

// store returns the state of a node.
func (n *Embedded) store() (NodeState, error) {
	s := NodeState{Health: n.health, Lag: n.lag, Behind: n.behind, Blocked: n.blocked}
	for _, key := range n.mini.Keys() {
		k := StoredKey{Key: key}
		for _, view := range n.keys {
			if view.Key == resp.Printable(key) {
				k.State, k.Rest = view.State, view.Rest
			}
		}
		switch k.State.Type {
		case "string":
			k.Raw, _ = n.mini.Get(key) // the key is a string
		case "hash", "list", "set", "zset":
			k.Parts = parts(n.mini.DB(0), key)
		default:
			return NodeState{}, lang.Errorf("server: a key of type %s cannot be stored", k.State.Type)
		}
		s.Keys = append(s.Keys, k)
	}
	s.Scripts = slices.Sorted(maps.Keys(n.scripts))
	for conn, p := range n.peers {
		if p.remembers() {
			s.Watches = append(s.Watches, Watch{Conn: conn, Keys: p.watch, Channels: p.channels, Patterns: p.patterns, Listened: p.listened, Unread: p.unread})
		}
	}
	for conn := range n.gone {
		s.Watches = append(s.Watches, Watch{Conn: conn, Gone: true})
	}
	return s.Sorted(), nil
}
