package server

import (
	"context"
	"maps"
	"path"
	"slices"

	"lockstep/internal/lang"
	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/live"
	"lockstep/sim/zookeeper"
)

// ZooKeeperTick is tickTime in the world.
const ZooKeeperTick = 2 * history.Second

// A RealEnsemble is a node that is a real ZooKeeper server. It has a connection for
// each one of the clients, and reads the znodes after each request that may have
// changed them. Clients read the numbers that a new ensemble in the world would have.
//
// The server's time does not count: its ticks are so long that no session ends by
// itself. A session that ends in the world is ended on the server. So a schedule's
// time passes without waiting.
type RealEnsemble struct {
	Node   // of the book
	ctx    context.Context
	server *live.ZooKeeper
	// book keeps what the server has sent and ended. Its state decides when sessions
	// end.
	book     ensemble
	conns    map[string]*realLink
	admin    *live.ZooKeeperConn
	base     int64         // the server's transactions before the world's first
	extra    []int64       // its transactions that are not in the world; see become
	sessions []realSession // in the order of their creation
	keys     []KeyView
	err      error // of what could not return it
}

// A realLink is the connection of a client.
type realLink struct {
	*live.ZooKeeperConn
	connected bool     // its first request has been sent
	events    [][]byte // that have come, and are no part of the history yet
}

// NewRealEnsemble takes a server that nothing has happened on for a node, and stops it
// if it cannot be one: the error is a *live.RefusedError if one server cannot do what
// the configuration asks for. ctx ends the waiting for the server.
func NewRealEnsemble(ctx context.Context, name string, c history.Config, s *live.ZooKeeper) (*RealEnsemble, error) {
	l := &RealEnsemble{ctx: ctx, server: s, book: newEnsemble(c).(ensemble), conns: map[string]*realLink{}}
	l.Node = Node{Name: name, Holder: l}
	err := l.begin()
	if c.Lag > 0 {
		err = &live.RefusedError{Why: lang.New("a follower that lags: ZooKeeper is one server here")}
	}
	if err != nil {
		s.Stop()
		return nil, err
	}
	return l, nil
}

// begin connects Lockstep itself.
func (l *RealEnsemble) begin() (err error) {
	if l.admin, err = l.server.Dial(l.ctx); err != nil {
		return err
	}
	if _, _, err = l.admin.Ask(zookeeper.AppendRequest(nil, zookeeper.Request{Op: zookeeper.Connect}), nil); err != nil {
		return err
	}
	root, err := l.ask(zookeeper.GetData, "/")
	l.base = root.Zxid
	return err
}

// Execute is Server's.
func (l *RealEnsemble) Execute(_ sim.Ref, conn string, units []sim.Unit, now history.Millis) (sim.Ref, []sim.Executed, error) {
	l.book = l.book.hear(now)
	var done []sim.Executed
	for _, u := range units {
		if l.err != nil {
			break
		}
		frame := []byte(u.Cmds[0][len(u.Cmds[0])-1])
		if u.Seen != 0 {
			c := l.conns[conn]
			frame = zookeeper.Renew(frame, c == nil || !c.connected, u.Seen)
		}
		x, err := l.execute(conn, frame, now)
		l.err = err
		done = append(done, x)
	}
	return 0, done, l.err
}

// execute lets the server execute one request.
func (l *RealEnsemble) execute(conn string, frame []byte, now history.Millis) (x sim.Executed, err error) {
	if slices.Contains(l.book.gone, conn) {
		return sim.Executed{Reply: connectionLoss}, nil
	}
	c := l.conns[conn]
	if c == nil {
		link, err := l.server.Dial(l.ctx)
		if err != nil {
			return x, err
		}
		c = &realLink{ZooKeeperConn: link}
		l.conns[conn] = c
		l.book.state = l.book.state.Accept(conn, 0)
	}
	request, malformed := zookeeper.ParseRequest(frame, !c.connected)
	predicted := frame
	if request.Op == zookeeper.Connect && request.Session != 0 {
		again := request // the client has the real server's password
		again.Password = zookeeper.Password(request.Session)
		predicted = zookeeper.AppendRequest(nil, again)
	}
	l.book.state, _ = l.book.state.Receive(conn, predicted, now)
	if malformed == nil {
		frame = l.toServer().Request(request, frame)
	}
	before, reply, err := c.Ask(frame, answers(&request))
	if err != nil {
		return x, err
	}
	c.connected = true
	for _, event := range before {
		x.Raw = zookeeper.AppendFrame(x.Raw, event)
	}
	x.Reply = connectionLoss
	if reply != nil {
		l.begun(conn, &request, reply)
		reply = l.toWorld().Reply(&request, reply)
		x.Reply = zookeeper.ReplyText(&request, reply)
		reply, x.Stamp = zookeeper.Unstamp(&request, reply)
		x.Raw = zookeeper.AppendFrame(x.Raw, reply)
	}
	if request.Op == zookeeper.CloseSession && reply != nil || x.Reply == zookeeper.SessionExpired.String() && request.Op == zookeeper.Connect {
		err = c.Drain() // the end comes after the reply
	}
	if err == nil && !request.Op.Reads() || c.Ended {
		x.Happened, err = l.look()
	}
	return x, err
}

// answers tells the reply to a request from what comes before it; nil for what
// comes first.
func answers(q *zookeeper.Request) func([]byte) bool {
	if q.Op == zookeeper.Connect {
		return nil
	}
	return func(frame []byte) bool { return zookeeper.XidOf(frame) == q.Xid }
}

// look returns what the server has done: the znodes that differ, the events that
// it has sent, and the connections that it has ended.
func (l *RealEnsemble) look() (h sim.Happened, err error) {
	nodes, err := l.below("/")
	if err != nil {
		return h, err
	}
	views := make([]KeyView, len(nodes))
	for i := range nodes {
		views[i] = KeyView{Node: l.Name, Key: zookeeper.Short(nodes[i].Path), State: *l.book.shown(&nodes[i])}
	}
	slices.SortFunc(views, byKey)
	h.Changes, l.keys = compareKeys(l.keys, views), views
	for _, conn := range slices.Sorted(maps.Keys(l.conns)) {
		c := l.conns[conn]
		if err := c.flush(); err != nil {
			return h, err
		}
		for _, event := range c.events {
			h.Sent = append(h.Sent, sim.Message{Conn: conn, Raw: string(zookeeper.AppendFrame(nil, event)), Text: zookeeper.EventText(event)})
		}
		c.events = nil
		if c.Ended {
			l.book.gone = with(l.book.gone, conn)
		}
	}
	for _, msg := range h.Sent {
		l.book = l.book.send(msg)
	}
	return h, nil
}

// flush receives what the server has sent: it replies to an auth after that. Who the
// client is by its address, it is already.
func (c *realLink) flush() error {
	if !c.connected {
		return nil
	}
	q := zookeeper.Request{Op: zookeeper.Auth, Xid: -4, Scheme: "ip"}
	events, _, err := c.Ask(zookeeper.AppendRequest(nil, q), answers(&q))
	c.events = append(c.events, events...)
	return err
}

// below returns the znodes below a path, each before its children.
func (l *RealEnsemble) below(at string) (nodes []zookeeper.Node, err error) {
	list, err := l.ask(zookeeper.GetChildren2, at)
	for _, name := range list.Children {
		n := zookeeper.Node{Path: path.Join(at, name)}
		if n.Path == "/zookeeper" || err != nil {
			continue
		}
		var p zookeeper.Reply
		if p, err = l.ask(zookeeper.GetData, n.Path); err != nil || p.Code != zookeeper.OK {
			continue
		}
		n.Data, n.Owner = p.Data, l.toWorld().Session(p.Stat.EphemeralOwner)
		more, failed := l.below(n.Path)
		nodes, err = append(append(nodes, n), more...), failed
	}
	return nodes, err
}

// ask reads a znode, for Lockstep itself.
func (l *RealEnsemble) ask(op zookeeper.Op, at string) (zookeeper.Reply, error) {
	q := zookeeper.Request{Op: op, Path: at, Version: -1}
	_, frame, err := l.admin.Ask(zookeeper.AppendRequest(nil, q), nil)
	p, ok := zookeeper.ParseReply(op, frame)
	if err == nil && !ok {
		err = lang.Errorf("ZooKeeper ends the connection of Lockstep itself")
	}
	return p, err
}

// Pass is Server's. It ends the sessions that end in the world.
func (l *RealEnsemble) Pass(_ sim.Ref, now history.Millis) (sim.Ref, sim.Happened, error) {
	l.book = l.book.hear(now)
	before := l.book.state
	after, did := before.Pass(now)
	l.book.state = after
	if l.err != nil || len(did.Ended) == 0 {
		return 0, sim.Happened{}, l.err
	}
	for _, id := range did.Ended {
		var over *realLink
		for conn, c := range l.conns {
			if session, _ := before.Connected(conn); session == id && !c.Ended {
				over = c
			}
		}
		if _, err := l.end(id, over); err != nil {
			return 0, sim.Happened{}, err
		}
	}
	h, err := l.look()
	return 0, h, err
}

// Fault is Server's. The seam makes the node slow.
func (l *RealEnsemble) Fault(at sim.Ref, a history.Action, now history.Millis) (sim.Ref, sim.Happened, error) {
	switch a.Verb {
	case history.Slow, history.Fast:
		_, _, _ = l.Node.Fault(at, a, now) // the book never fails
	case history.Flush: // it has no scripts
	case history.Jump, history.Rate:
		return 0, sim.Happened{}, &live.RefusedError{Why: lang.New("the clock of a server cannot be turned from here")}
	default:
		return 0, sim.Happened{}, &live.RefusedError{Why: lang.New("a change of the leader: ZooKeeper is one server here")}
	}
	return 0, sim.Happened{}, l.err
}

// At is Holder's.
func (l *RealEnsemble) At(sim.Ref) Value { return l.book }

// Put is Holder's.
func (l *RealEnsemble) Put(_ sim.Ref, v Value) sim.Ref {
	l.become(v.(ensemble))
	return 0
}

// Forget is Server's.
func (l *RealEnsemble) Forget(at sim.Ref, gone func(conn string) bool) sim.Ref {
	for conn, c := range l.conns {
		if gone(conn) {
			c.Close()
			delete(l.conns, conn)
		}
	}
	return l.Node.Forget(at, gone)
}

// Close ends the node and its server.
func (l *RealEnsemble) Close() error {
	for _, c := range l.conns {
		c.Close()
	}
	l.admin.Close()
	l.server.Stop()
	return nil
}

// Keys returns the znodes, sorted by path.
func (l *RealEnsemble) Keys() []KeyView { return l.keys }
