package server

import (
	"errors"
	"maps"
	"slices"

	"lockstep/internal/lang"
	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/live"
)

// A Real is a node on a real Redis server. It reads its keys with each command.
//
// The server's time does not count: before each command the server is told how
// long each key lasts by the world's time. So a schedule's time passes without
// waiting, and the server never ends a key before the world does.
type Real struct {
	Node
	server *live.Server
	state  NodeState                 // as the world has it: its health, its keys, and the broken connections
	ends   map[string]history.Millis // the deadlines of the server's keys, by their names
	behind []written                 // see NodeState.Behind
	peers  map[string]*livePeer
}

// A livePeer is the server's end of a connection.
type livePeer struct {
	*live.Conn
	watch bool // it WATCHes a key
}

// A written is what a server had written at some time.
type written struct {
	bytes int64
	ends  map[string]history.Millis
}

// NewReal takes a server for a node. Its replica may miss up to lag writes.
func NewReal(name string, lag int, s *live.Server) (*Real, error) {
	l := &Real{server: s, state: NodeState{Lag: lag}, peers: map[string]*livePeer{}}
	l.Node = Node{Name: name, Holder: l}
	if lag > 0 && !s.Own() {
		return nil, errors.Join(&live.RefusedError{Why: lang.New("%s was not started by Lockstep, which can give only its own servers a replica", s)}, s.Close())
	}
	return l, nil
}

// At is Holder's.
func (l *Real) At(sim.Ref) Value {
	l.state.Behind = make([]NodeState, len(l.behind))
	return l.state
}

// Put is Holder's.
func (l *Real) Put(_ sim.Ref, v Value) sim.Ref {
	l.state = v.(NodeState)
	return 0
}

// Forget is Server's.
func (l *Real) Forget(at sim.Ref, gone func(conn string) bool) sim.Ref {
	maps.DeleteFunc(l.peers, func(conn string, p *livePeer) bool {
		if gone(conn) {
			p.Close()
		}
		return gone(conn)
	})
	return l.Node.Forget(at, gone)
}

// Close ends the node, and its server or what it has put there.
func (l *Real) Close() error { return l.server.Close() }

// Execute is Server's.
func (l *Real) Execute(_ sim.Ref, conn string, units []sim.Unit, now history.Millis) (sim.Ref, []sim.Executed, error) {
	p := l.peers[conn]
	if p == nil {
		c, err := l.server.Dial()
		if err != nil {
			return 0, nil, err
		}
		p = &livePeer{Conn: c}
		l.peers[conn] = p
	}
	var done []sim.Executed
	for _, u := range units {
		x, err := l.apply(p, u.Cmds, now)
		if err != nil {
			return 0, nil, err
		}
		done = append(done, x)
	}
	return 0, done, nil
}

// apply lets the server execute one unit.
func (l *Real) apply(p *livePeer, cmds [][]string, now history.Millis) (sim.Executed, error) {
	before, err := l.written()
	if err != nil {
		return sim.Executed{}, err
	}
	a, err := p.Do(cmds, l.rests(now))
	if err != nil {
		return sim.Executed{}, err
	}
	for _, cmd := range cmds {
		switch cmd[0] {
		case "WATCH":
			p.watch = true
		case "EXEC", "DISCARD", "UNWATCH":
			p.watch = false
		}
	}
	x := sim.Executed{Raw: a.Reply, Reply: unitReply(a.Reply, len(cmds))}
	if !a.Wrote {
		return x, nil
	}
	x.Changes = l.become(a.Keys, func(k live.Entry) history.Millis {
		if end, has := l.ends[k.Name]; has && k.Kept {
			return end
		}
		return now + mostLikely(history.Millis(k.Deadline-a.After), history.Millis(k.Deadline-a.Before), cmds)
	})
	if len(x.Changes) > 0 && l.state.Lag > 0 {
		l.behind = slices.Insert(l.behind, 0, before)
		l.behind = l.behind[:min(len(l.behind), l.state.Lag)]
	}
	return x, nil
}

// written returns what the server has written; nothing without a replica.
func (l *Real) written() (w written, err error) {
	if l.state.Lag > 0 {
		w.ends = l.ends
		w.bytes, err = l.server.Written()
	}
	return w, err
}

// rests returns how long the server's keys last by the world's time.
func (l *Real) rests(now history.Millis) live.Rests {
	rests := live.Rests{}
	for name, end := range l.ends {
		rests[name] = int64(end - now)
	}
	return rests
}
