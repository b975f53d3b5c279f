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
	name   string
	server *live.Server
	keys   keyList
	ends   map[string]history.Millis // the deadlines of the server's keys, by their names
	health sim.Health
	lag    int
	behind []written // see NodeState.Behind
	peers  map[string]*livePeer
	gone   map[string]bool // connections that ended with the process, unnoticed by their clients
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
	l := &Real{name: name, server: s, lag: lag, peers: map[string]*livePeer{}, gone: map[string]bool{}}
	if lag > 0 && !s.Own() {
		return nil, errors.Join(&live.RefusedError{Why: lang.New("%s was not started by Lockstep, which can give only its own servers a replica", s)}, s.Close())
	}
	return l, nil
}

// Health is Server's.
func (l *Real) Health(sim.Ref) sim.Health { return l.health }

// Has is Server's.
func (l *Real) Has(_ sim.Ref, key string) bool { return l.keys.has(key) }

// Behind is Server's.
func (l *Real) Behind(sim.Ref) int { return len(l.behind) }

// NextExpiry is Server's.
func (l *Real) NextExpiry(sim.Ref) (history.Millis, bool) { return l.keys.nextExpiry() }

// Broken is Server's.
func (l *Real) Broken(_ sim.Ref, conn string) bool { return l.gone[conn] }

// Forget is Server's.
func (l *Real) Forget(_ sim.Ref, gone func(conn string) bool) sim.Ref {
	maps.DeleteFunc(l.peers, func(conn string, p *livePeer) bool {
		if gone(conn) {
			p.Close()
		}
		return gone(conn)
	})
	maps.DeleteFunc(l.gone, func(conn string, _ bool) bool { return gone(conn) })
	return 0
}

// Unread is Server's. A real server never sends anything unasked: package live
// refuses the commands that would make it.
func (l *Real) Unread(sim.Ref, string) (sim.Message, bool) { return sim.Message{}, false }

// Take is Server's.
func (l *Real) Take(at sim.Ref, _ string) sim.Ref { return at }

// Attend is Server's.
func (l *Real) Attend(at sim.Ref, _ string, _ sim.Attendance) sim.Ref { return at }

// Keys returns every key, sorted.
func (l *Real) Keys() []KeyView { return l.keys }

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
	x.Changes = l.become(a.Keys, func(k live.Key) history.Millis {
		if end, has := l.ends[k.Name]; has && k.Kept {
			return end
		}
		return now + mostLikely(history.Millis(k.Deadline-a.After), history.Millis(k.Deadline-a.Before), cmds)
	})
	if len(x.Changes) > 0 && l.lag > 0 {
		l.behind = slices.Insert(l.behind, 0, before)
		l.behind = l.behind[:min(len(l.behind), l.lag)]
	}
	return x, nil
}

// written returns what the server has written; nothing without a replica.
func (l *Real) written() (w written, err error) {
	if l.lag > 0 {
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

// Pass is Server's.
func (l *Real) Pass(_ sim.Ref, now history.Millis) (sim.Ref, sim.Happened, error) {
	ended := func(v KeyView) bool { return v.State.Deadline > 0 && v.State.Deadline < now }
	return 0, sim.Happened{Changes: l.keys.become(slices.DeleteFunc(slices.Clone(l.keys), ended))}, nil
}
