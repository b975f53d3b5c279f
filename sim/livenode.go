package sim

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"lockstep/sim/history"
	"lockstep/sim/live"
)

// A liveNode is the Server that is real: a part of a Redis server. Its keys are
// read with each command that may have written, and its clock is the server's:
// the world's time is held against that.
//
// While no key has a TTL, time makes no difference to the server, and a
// schedule's time passes without being waited for. Otherwise the world waits
// until as much time has passed on the server as in the world, so that a
// server can only be ahead, by as long as commands took.
type liveNode struct {
	name    string
	space   *live.Space
	ctx     context.Context
	keys    keyList
	health  Health
	lag     int
	peers   map[string]*livePeer
	gone    map[string]bool  // connections that ended with the process, unnoticed
	ends    map[string][]end // every deadline that a key ever had
	held    bool             // the clocks are held against each other:
	zero    int64            // on the server's clock, when the world began
	local   time.Time        // the same on this machine's clock
	drift   history.Millis   // how far the server has been ahead
	offsets []int64          // nil if it has no replica; see liveNode.remember
}

// A livePeer is the server's end of a connection.
type livePeer struct {
	*live.Conn
	watch bool // it WATCHes something
}

// An end is a deadline on two clocks.
type end struct {
	server int64
	world  history.Millis
}

// lingering is how much longer than its TTL a key may be seen.
const lingering = 2 * time.Second

// NewLive builds a world whose nodes are parts of real servers; there may be
// fewer servers than nodes. It is used as any other world is, but that Err has
// to be asked after Close.
func NewLive(ctx context.Context, config history.Config, subject Subject, servers []*live.Server) (*World, error) {
	return newWorld(config, subject, func(i int) (liveServer, error) {
		name := NodeName(i)
		space, err := servers[i%len(servers)].Space(ctx, name)
		if err != nil {
			return nil, err
		}
		l := &liveNode{name: name, space: space, ctx: ctx, lag: config.Lag, peers: map[string]*livePeer{}, gone: map[string]bool{}}
		if err := l.follow(); err != nil {
			return nil, errors.Join(err, l.close())
		}
		return l, nil
	})
}

// Drift returns how far real time has been ahead of the world's when a command
// was executed, at most.
func (w *World) Drift() history.Millis {
	var most history.Millis
	for _, n := range w.nodes {
		if l, ok := n.(*liveNode); ok {
			most = max(most, l.drift)
		}
	}
	return most
}

// Health is Server's.
func (l *liveNode) Health(Ref) Health { return l.health }

// Has is Server's.
func (l *liveNode) Has(_ Ref, key string) bool { return l.keys.has(key) }

// Behind is Server's.
func (l *liveNode) Behind(Ref) int { return len(l.offsets) }

// NextExpiry is Server's.
func (l *liveNode) NextExpiry(Ref) (history.Millis, bool) { return l.keys.nextExpiry() }

// Broken is Server's.
func (l *liveNode) Broken(_ Ref, conn string) bool { return l.gone[conn] }

// Forget is Server's.
func (l *liveNode) Forget(_ Ref, gone func(conn string) bool) Ref {
	maps.DeleteFunc(l.peers, func(conn string, _ *livePeer) bool { return gone(conn) })
	maps.DeleteFunc(l.gone, func(conn string, _ bool) bool { return gone(conn) })
	return 0
}

func (l *liveNode) known() []KeyView { return l.keys }

func (l *liveNode) close() error { return l.space.Close() }

// Execute is Server's.
func (l *liveNode) Execute(_ Ref, conn string, units []Unit, now history.Millis) (Ref, []Executed, error) {
	p := l.peers[conn]
	if p == nil {
		c, err := l.space.Dial()
		if err != nil {
			return 0, nil, err
		}
		p = &livePeer{Conn: c}
		l.peers[conn] = p
	}
	var done []Executed
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
func (l *liveNode) apply(p *livePeer, cmds [][]string, now history.Millis) (Executed, error) {
	offset, err := l.offset()
	if err != nil {
		return Executed{}, err
	}
	a, err := p.Do(cmds)
	if err != nil {
		return Executed{}, err
	}
	for _, cmd := range cmds {
		switch cmd[0] {
		case "WATCH":
			p.watch = true
		case "EXEC", "DISCARD", "UNWATCH":
			p.watch = false
		}
	}
	x := Executed{Raw: a.Reply, Reply: unitReply(a.Reply, len(cmds))}
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

// offset is how far the server has written, if that matters to a replica.
func (l *liveNode) offset() (int64, error) {
	if l.offsets == nil {
		return 0, nil
	}
	return l.space.Offset()
}

// ticks says whether time makes a difference to the server. What a replica has
// is not known here, so that with one it may.
func (l *liveNode) ticks() bool {
	return l.offsets != nil ||
		slices.ContainsFunc(l.keys, func(v KeyView) bool { return v.State.Deadline > 0 })
}

// hold holds the server's clock against the world's.
func (l *liveNode) hold(a live.Answer, now history.Millis) {
	if !l.held || !l.ticks() { // they run side by side from here
		l.held, l.ends = true, map[string][]end{}
		l.zero = a.Before - int64(now)
		l.local = time.Now().Add(-now.Duration())
	}
	l.ahead(a.Before, now)
}

// ahead notes how far the server is ahead of the world.
func (l *liveNode) ahead(server int64, now history.Millis) {
	l.drift = max(l.drift, history.Millis(server-l.zero)-now)
}

// Pass is Server's: it waits until it is as late on the server as in the world,
// and until what has expired in the world is gone there too.
func (l *liveNode) Pass(_ Ref, now history.Millis) (Ref, []history.Change, error) {
	if !l.ticks() || !l.held {
		return 0, nil, nil
	}
	if err := l.sleep(time.Until(l.local.Add(now.Duration()))); err != nil {
		return 0, nil, err
	}
	due := func(v KeyView) bool { return v.State.Deadline > 0 && v.State.Deadline < now }
	if !slices.ContainsFunc(l.keys, due) {
		return 0, nil, nil
	}
	for end := time.Now().Add(lingering); !l.health.Down; {
		there, _, err := l.space.Look()
		if err != nil {
			return 0, nil, err
		}
		late := slices.IndexFunc(there, func(k live.Key) bool {
			return slices.ContainsFunc(l.keys, func(v KeyView) bool { return v.Key == printable(k.Name) && due(v) })
		})
		if late < 0 {
			break
		}
		if time.Now().After(end) {
			return 0, nil, fmt.Errorf("%s: %s is still there %v after its TTL", l.name, there[late].Name, lingering)
		}
		if err := l.sleep(time.Millisecond); err != nil {
			return 0, nil, err
		}
	}
	return 0, l.keys.become(slices.DeleteFunc(slices.Clone(l.keys), due)), nil
}

func (l *liveNode) sleep(d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-l.ctx.Done():
		return l.ctx.Err()
	case <-t.C:
		return nil
	}
}
