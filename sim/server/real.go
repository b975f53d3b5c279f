package server

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"lockstep/internal/lang"
	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/live"
	"lockstep/sim/resp"
)

// A Real is a node on a part of a real Redis server. It reads its keys with
// each command that may have written. Its clock is the server's, and it
// compares the world's time with that.
//
// If no key has a TTL, time makes no difference to the server, and a schedule's
// time passes without waiting. Otherwise the world waits until as much time has
// passed on the server as in the world. So only the server can be ahead, by the
// time that commands took.
type Real struct {
	name    string
	space   *live.Space
	ctx     context.Context
	keys    keyList
	health  sim.Health
	lag     int
	peers   map[string]*livePeer
	gone    map[string]bool  // connections that ended with the process, unnoticed by their clients
	ends    map[string][]end // all deadlines of each key so far
	held    bool             // the clocks are compared, from:
	zero    int64            // the server's clock at the world's time 0
	local   time.Time        // this machine's clock at that time
	drift   history.Millis   // how far the server was ahead, at most
	offsets []int64          // nil without a replica; see Real.remember
}

// A livePeer is the server's end of a connection.
type livePeer struct {
	*live.Conn
	watch bool // it WATCHes a key
}

// An end is a deadline on two clocks.
type end struct {
	server int64
	world  history.Millis
}

// lingering is how long a key may still be visible after its TTL.
const lingering = 2 * time.Second

// NewReal takes a part of a server for a node. Its replica may miss up to lag
// writes. ctx ends the waiting for the server.
func NewReal(ctx context.Context, name string, lag int, s *live.Server) (*Real, error) {
	space, err := s.Space(ctx, name)
	if err != nil {
		return nil, err
	}
	l := &Real{name: name, space: space, ctx: ctx, lag: lag, peers: map[string]*livePeer{}, gone: map[string]bool{}}
	if err := l.follow(); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// Drift returns by how much real time was ahead of the world's time when a
// command executed, at most.
func (l *Real) Drift() history.Millis { return l.drift }

// Health is Server's.
func (l *Real) Health(sim.Ref) sim.Health { return l.health }

// Has is Server's.
func (l *Real) Has(_ sim.Ref, key string) bool { return l.keys.has(key) }

// Behind is Server's.
func (l *Real) Behind(sim.Ref) int { return len(l.offsets) }

// NextExpiry is Server's.
func (l *Real) NextExpiry(sim.Ref) (history.Millis, bool) { return l.keys.nextExpiry() }

// Broken is Server's.
func (l *Real) Broken(_ sim.Ref, conn string) bool { return l.gone[conn] }

// Forget is Server's.
func (l *Real) Forget(_ sim.Ref, gone func(conn string) bool) sim.Ref {
	maps.DeleteFunc(l.peers, func(conn string, _ *livePeer) bool { return gone(conn) })
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

// Close ends the node and removes its keys from the server.
func (l *Real) Close() error { return l.space.Close() }

// Execute is Server's.
func (l *Real) Execute(_ sim.Ref, conn string, units []sim.Unit, now history.Millis) (sim.Ref, []sim.Executed, error) {
	p := l.peers[conn]
	if p == nil {
		c, err := l.space.Dial()
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
	offset, err := l.offset()
	if err != nil {
		return sim.Executed{}, err
	}
	a, err := p.Do(cmds)
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
	l.hold(a, now)
	x.Changes = l.keys.become(l.views(a, cmds, now))
	if len(x.Changes) > 0 && l.lag > 0 {
		l.remember(offset)
	}
	return x, nil
}

// offset returns the server's replication offset; 0 without a replica.
func (l *Real) offset() (int64, error) {
	if l.offsets == nil {
		return 0, nil
	}
	return l.space.Offset()
}

// ticks reports whether time makes a difference to the server. It may if there
// is a replica, whose keys are unknown here.
func (l *Real) ticks() bool {
	return l.offsets != nil ||
		slices.ContainsFunc(l.keys, func(v KeyView) bool { return v.State.Deadline > 0 })
}

// hold compares the server's clock with the world's.
func (l *Real) hold(a live.Answer, now history.Millis) {
	if !l.held || !l.ticks() { // the clocks start together now
		l.held, l.ends = true, map[string][]end{}
		l.zero = a.Before - int64(now)
		l.local = time.Now().Add(-now.Duration())
	}
	l.ahead(a.Before, now)
}

// ahead records how far the server is ahead of the world.
func (l *Real) ahead(server int64, now history.Millis) {
	l.drift = max(l.drift, history.Millis(server-l.zero)-now)
}

// Pass is Server's. It waits until the server's clock has reached the world's
// time, and until the server has dropped the keys that expired in the world.
func (l *Real) Pass(_ sim.Ref, now history.Millis) (sim.Ref, sim.Happened, error) {
	changes, err := l.pass(now)
	return 0, sim.Happened{Changes: changes}, err
}

func (l *Real) pass(now history.Millis) ([]history.Change, error) {
	if !l.ticks() || !l.held {
		return nil, nil
	}
	if err := l.sleep(time.Until(l.local.Add(now.Duration()))); err != nil {
		return nil, err
	}
	due := func(v KeyView) bool { return v.State.Deadline > 0 && v.State.Deadline < now }
	if !slices.ContainsFunc(l.keys, due) {
		return nil, nil
	}
	for end := time.Now().Add(lingering); !l.health.Down; {
		there, _, err := l.space.Look()
		if err != nil {
			return nil, err
		}
		late := slices.IndexFunc(there, func(k live.Key) bool {
			return slices.ContainsFunc(l.keys, func(v KeyView) bool { return v.Key == resp.Printable(k.Name) && due(v) })
		})
		if late < 0 {
			break
		}
		if time.Now().After(end) {
			return nil, lang.Errorf("%s: %s is still there %v after its TTL", l.name, there[late].Name, lingering)
		}
		if err := l.sleep(time.Millisecond); err != nil {
			return nil, err
		}
	}
	return l.keys.become(slices.DeleteFunc(slices.Clone(l.keys), due)), nil
}

func (l *Real) sleep(d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-l.ctx.Done():
		return l.ctx.Err()
	case <-t.C:
		return nil
	}
}
