package sim

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"lockstep/sim/history"
	"lockstep/sim/live"
)

// A liveNode is a node whose commands a real server executes. Its keys are read
// with each command that may have written, and its clock is the server's: the
// world's time is held against that.
//
// While no key has a TTL, time makes no difference to the server, and a
// schedule's time passes without being waited for. Otherwise the world waits
// until as much time has passed on the server as in the world, so that a
// server can only be ahead, by as long as commands took.
type liveNode struct {
	name    string
	space   *live.Space
	ctx     context.Context
	ends    map[string][]end // every deadline that a key ever had
	held    bool             // the clocks are held against each other:
	zero    int64            // on the server's clock, when the world began
	local   time.Time        // the same on this machine's clock
	drift   history.Millis   // how far the server has been ahead
	offsets []int64          // nil if it has no replica; see node.remember
	err     error            // the first
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
	return newWorld(config, subject, func(i int) (*node, error) {
		name := NodeName(i)
		space, err := servers[i%len(servers)].Space(ctx, name)
		if err != nil {
			return nil, err
		}
		return &node{name: name, live: &liveNode{name: name, space: space, ctx: ctx}}, nil
	})
}

// Err says what went wrong with a real server. A *live.RefusedError says why
// something cannot be done there.
func (w *World) Err() error {
	for _, n := range w.nodes {
		if n.live != nil && n.live.err != nil {
			return n.live.err
		}
	}
	return nil
}

// Drift returns how far real time has been ahead of the world's when a command
// was executed, at most.
func (w *World) Drift() history.Millis {
	var most history.Millis
	for _, n := range w.nodes {
		if n.live != nil {
			most = max(most, n.live.drift)
		}
	}
	return most
}

func (l *liveNode) fail(err error) {
	if l.err == nil && err != nil {
		l.err = err
	}
}

func (l *liveNode) close() {
	l.fail(l.space.Close())
}

// applyLive lets the server execute one unit.
func (n *node) applyLive(p *peer, cmds [][]string, now history.Millis) ([]byte, []history.Change) {
	l := n.live
	if p.live == nil && l.err == nil {
		var err error
		if p.live, err = l.space.Dial(); err != nil {
			l.fail(err)
		}
	}
	if l.err != nil {
		return unavailable(cmds), nil
	}
	offset, err := l.offset()
	if err != nil {
		l.fail(err)
		return unavailable(cmds), nil
	}
	a, err := p.live.Do(cmds)
	if err != nil {
		l.fail(err)
		return unavailable(cmds), nil
	}
	for _, cmd := range cmds {
		switch cmd[0] {
		case "WATCH":
			p.watch = append(p.watch, cmd[1:]...)
		case "EXEC", "DISCARD", "UNWATCH":
			p.watch = nil
		}
	}
	if !a.Wrote {
		return a.Reply, nil
	}
	n.hold(a, now)
	changes := n.become(l.views(a, cmds, now))
	if len(changes) > 0 && n.lag > 0 {
		n.remember(offset)
	}
	return a.Reply, changes
}

// offset is how far the server has written, if that matters to a replica.
func (l *liveNode) offset() (int64, error) {
	if l.offsets == nil {
		return 0, nil
	}
	return l.space.Offset()
}

// unavailable is what a client reads while the world is about to end.
func unavailable(cmds [][]string) []byte {
	return []byte(strings.Repeat("-ERR the real server cannot be used\r\n", len(cmds)))
}

// ticks says whether time makes a difference to the server. What a replica has
// is not known here, so that with one it may.
func (n *node) ticks() bool {
	return n.live.offsets != nil ||
		slices.ContainsFunc(n.keys, func(v KeyView) bool { return v.State.Deadline > 0 })
}

// hold holds the server's clock against the world's.
func (n *node) hold(a live.Answer, now history.Millis) {
	l := n.live
	if !l.held || !n.ticks() { // they run side by side from here
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

// passLive waits until it is as late on the server as in the world, and until
// what has expired in the world is gone there too.
func (n *node) passLive(now history.Millis) []history.Change {
	l := n.live
	if !n.ticks() || !l.held || l.err != nil {
		return nil
	}
	l.sleep(time.Until(l.local.Add(now.Duration())))
	due := func(v KeyView) bool { return v.State.Deadline > 0 && v.State.Deadline < now }
	if !slices.ContainsFunc(n.keys, due) {
		return nil
	}
	for end := time.Now().Add(lingering); l.err == nil && !n.Down; l.sleep(time.Millisecond) {
		there, _, err := l.space.Look()
		if err != nil {
			l.fail(err)
			break
		}
		late := slices.IndexFunc(there, func(k live.Key) bool {
			return slices.ContainsFunc(n.keys, func(v KeyView) bool { return v.Key == printable(k.Name) && due(v) })
		})
		if late < 0 {
			break
		}
		if time.Now().After(end) {
			l.fail(fmt.Errorf("%s: %s is still there %v after its TTL", l.name, there[late].Name, lingering))
		}
	}
	return n.become(slices.DeleteFunc(slices.Clone(n.keys), due))
}

func (l *liveNode) sleep(d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-l.ctx.Done():
		l.fail(l.ctx.Err())
	case <-t.C:
	}
}

// flush lets the server forget its scripts.
func (l *liveNode) flush() {
	l.fail(l.space.FlushScripts())
}
