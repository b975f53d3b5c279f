package server

import (
	"maps"
	"slices"
	"strconv"

	"lockstep/internal/lang"
	"lockstep/sim"
	"lockstep/sim/history"
)

// This file puts a state into a miniredis and back.

// Execute is Value's. A real miniredis in this state executes the units.
func (s NodeState) Execute(name, conn string, units []sim.Unit, now history.Millis) (Value, []sim.Executed, error) {
	n, err := s.load(name, now)
	if err != nil {
		return nil, nil, err
	}
	defer n.end()
	done := n.executeAll(conn, units)
	if err := n.complete(done, units); err != nil {
		return nil, nil, err
	}
	after := n.store()
	// Only EXEC shows whether a WATCH is dirty, and EXEC ends it. Each is tried
	// on its own node.
	for i := range after.Watches {
		if w := &after.Watches[i]; !w.Gone && len(w.Keys) > 0 {
			if w.Dirty, err = s.dirtied(name, conn, units, now, w.Conn); err != nil {
				return nil, nil, err
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
	p.Watch = Watch{Keys: p.Keys} // otherwise it may not ask
	raw, _ := n.apply(p, [][]string{{"MULTI"}, {"EXEC"}})
	return unitReply(raw, 2) == "nil", nil
}

// load puts the state into a miniredis.
func (s NodeState) load(name string, now history.Millis) (*engine, error) {
	n, err := idleEngine()
	if err != nil {
		return nil, lang.Errorf("start %s: %w", name, err)
	}
	n = &engine{NodeState: s, mini: n.mini, now: s.Clock.Millis(now), peers: map[string]*peer{}, scripts: n.scripts}
	n.Keys = nil // none is in it yet
	n.mini.SetTime(sim.Epoch().Add(n.now.Duration() - grace))
	n.mini.ClockTTL(true)
	n.mini.Server().SetPreHook(n.correct)
	admin := newPeer("")
	if !slices.Equal(slices.Sorted(maps.Keys(n.scripts)), s.Scripts) {
		n.mini.Server().Dispatch(admin.Peer, []string{"SCRIPT", "FLUSH"})
	}
	for _, script := range s.Scripts { // those that are there are not compiled again
		n.mini.Server().Dispatch(admin.Peer, []string{"SCRIPT", "LOAD", script})
	}
	watch := func(dirty bool) {
		for _, w := range s.Watches {
			if w.Dirty == dirty && !w.Gone {
				p := n.peerOf(w.Conn)
				if len(w.Keys) > 0 {
					n.apply(p, [][]string{append([]string{"WATCH"}, w.Keys...)})
				}
				p.Watch = w
				p.Dirty = false // see Execute
			}
		}
	}
	watch(true)
	for _, w := range s.Watches {
		if w.Gone {
			n.peerOf(w.Conn).Gone = true
		}
		if w.Dirty { // change a watched key
			n.mini.Server().Dispatch(admin.Peer, []string{"SET", w.Keys[0], ""})
			n.mini.Server().Dispatch(admin.Peer, []string{"DEL", w.Keys[0]})
		}
	}
	for _, k := range s.Keys {
		n.put(admin, k)
	}
	n.refresh() // a replica cannot have missed loaded keys
	watch(false)
	return n, nil
}

func (n *engine) put(admin *peer, k StoredKey) {
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
	}
	if k.State.Deadline > 0 {
		if ttl := (k.until(n.Clock) - n.now).Duration() + grace; k.ByField {
			n.mini.HSetEX(k.Key, ttl, k.Parts...)
		} else {
			n.mini.SetTTL(k.Key, ttl)
		}
	}
}

// store returns the state of a node.
func (n *engine) store() NodeState {
	s := n.NodeState
	s.Scripts, s.Watches = slices.Sorted(maps.Keys(n.scripts)), nil
	for _, p := range n.peers {
		if !p.empty() {
			s.Watches = append(s.Watches, p.Watch)
		}
	}
	return s.Sorted()
}
