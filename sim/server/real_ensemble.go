package server

import (
	"context"
	"errors"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

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
// changed them. The server's time is faster than the world's, by the ratio of the
// ticks. Clients read the numbers that a new ensemble in the world would have.
//
// While all clients attend, time makes no difference to the server: a goroutine
// pings for them, and the world's time passes without waiting. Otherwise a session
// ends some time, and the world waits for the server's clock. So only the server
// can be ahead, by the time that requests took.
type RealEnsemble struct {
	name   string
	ctx    context.Context
	server *live.ZooKeeper
	stop   context.CancelFunc // of the goroutine
	ended  chan struct{}      // it has ended

	mu sync.Mutex
	// book keeps what the server has sent and ended. Its state only predicts when
	// sessions end.
	book     ensemble
	conns    map[string]*realLink
	admin    *live.ZooKeeperConn
	base     int64         // the server's transactions before the world's first
	extra    []int64       // its transactions that are not in the world; see become
	zxid     int64         // the last that was seen, by the world's numbers
	sessions []realSession // in the order of their creation
	keys     keyList
	now      history.Millis // the world's time
	held     bool           // the clocks are compared, from:
	zero     time.Time      // the world's time 0
	beat     time.Time      // when the clients have last pinged
	drift    time.Duration
	err      error // of what could not return it
}

// A realLink is the connection of a client.
type realLink struct {
	*live.ZooKeeperConn
	connected bool     // its first request has been sent
	events    [][]byte // that have come, and are no part of the history yet
}

type realSession struct {
	id       int64
	password []byte
}

// NewRealEnsemble takes a server that nothing has happened on for a node. ctx ends the
// waiting for the server. The error is a *live.RefusedError if one server cannot do
// what the configuration asks for.
func NewRealEnsemble(ctx context.Context, name string, c history.Config, s *live.ZooKeeper) (*RealEnsemble, error) {
	if c.Lag > 0 {
		return nil, &live.RefusedError{Why: lang.New("a follower that lags: ZooKeeper is one server here")}
	}
	admin, err := s.Dial(ctx)
	if err != nil {
		return nil, err
	}
	l := &RealEnsemble{name: name, ctx: ctx, server: s, ended: make(chan struct{}), book: newEnsemble(c).(ensemble), conns: map[string]*realLink{}, admin: admin}
	longest := int32((20 * s.Tick).Milliseconds())
	if _, _, err = admin.Ask(zookeeper.AppendRequest(nil, zookeeper.Request{Op: zookeeper.Connect, Timeout: longest}), nil); err == nil {
		_, err = l.ask(zookeeper.GetData, "/")
	}
	if err != nil {
		admin.Close()
		return nil, err
	}
	l.base, l.zxid = l.zxid, 0
	beating, stop := context.WithCancel(ctx)
	l.stop, l.beat = stop, time.Now()
	go l.heart(beating)
	return l, nil
}

// real returns a duration on the server's clock.
func (l *RealEnsemble) real(d history.Millis) time.Duration {
	return d.Duration() * l.server.Tick / ZooKeeperTick.Duration()
}

// toServer translates what clients send.
func (l *RealEnsemble) toServer() zookeeper.Numbering {
	speed := int32(ZooKeeperTick.Duration() / l.server.Tick)
	return zookeeper.Numbering{
		Zxid: func(n int64) int64 {
			if n <= 0 {
				return n
			}
			n += l.base
			for _, x := range l.extra {
				if n >= x {
					n++
				}
			}
			return n
		},
		Session: func(id int64) int64 {
			if i := id - zookeeper.FirstSession; i >= 0 && i < int64(len(l.sessions)) {
				return l.sessions[i].id
			}
			return id
		},
		Timeout: func(ms int32) int32 { return ms / speed },
	}
}

// toWorld translates what clients read.
func (l *RealEnsemble) toWorld() zookeeper.Numbering {
	speed := int32(ZooKeeperTick.Duration() / l.server.Tick)
	return zookeeper.Numbering{
		Zxid: func(n int64) int64 {
			if n <= 0 {
				return n
			}
			extra := 0
			for _, x := range l.extra {
				if n >= x {
					extra++
				}
			}
			return max(n-l.base-int64(extra), 0)
		},
		Session: func(id int64) int64 {
			if i := l.indexOf(id); i >= 0 {
				return zookeeper.FirstSession + int64(i)
			}
			return id
		},
		Timeout: func(ms int32) int32 { return ms * speed },
	}
}

// Execute is Server's.
func (l *RealEnsemble) Execute(_ sim.Ref, conn string, units []sim.Unit, now history.Millis) (sim.Ref, []sim.Executed, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.arrive(now)
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
		x, err := l.execute(conn, frame)
		l.err = err
		done = append(done, x)
	}
	l.hold()
	return 0, done, l.err
}

// arrive records that something happens at a moment of the world.
func (l *RealEnsemble) arrive(now history.Millis) {
	l.now = now
	l.book = l.book.hear(now)
	if l.held = l.held && l.ticks(); l.held {
		l.drift = max(l.drift, time.Since(l.zero)-l.real(now))
	}
}

// execute lets the server execute one request.
func (l *RealEnsemble) execute(conn string, frame []byte) (x sim.Executed, err error) {
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
	l.book.state, _ = l.book.state.Receive(conn, predicted, l.now)
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

// begun records the session of a connection.
func (l *RealEnsemble) begun(conn string, q *zookeeper.Request, reply []byte) {
	id, password := zookeeper.ParseWelcome(reply)
	if q.Op != zookeeper.Connect || id == 0 || l.indexOf(id) >= 0 {
		return
	}
	client, _, _ := strings.Cut(conn, "/")
	l.sessions = append(l.sessions, realSession{id, password})
	l.book.owners = append(slices.Clip(l.book.owners), owner{zookeeper.FirstSession + int64(len(l.sessions)-1), client})
}

// indexOf returns the index of one of the server's sessions, or -1.
func (l *RealEnsemble) indexOf(id int64) int {
	return slices.IndexFunc(l.sessions, func(s realSession) bool { return s.id == id })
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
		views[i] = KeyView{Node: l.name, Key: zookeeper.Short(nodes[i].Path), State: *l.book.shown(&nodes[i])}
	}
	h.Changes = l.keys.become(views)
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

// flush receives what the server has sent: it replies to an auth after that, and
// an auth, unlike a ping, does not keep the session alive. Who the client is by
// its address, it is already.
func (c *realLink) flush() error {
	return c.receive(zookeeper.Request{Op: zookeeper.Auth, Xid: -4, Scheme: "ip"})
}

// ping keeps the session alive.
func (c *realLink) ping() error { return c.receive(zookeeper.Request{Op: zookeeper.Ping, Xid: -2}) }

func (c *realLink) receive(q zookeeper.Request) error {
	if !c.connected {
		return nil
	}
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

// ask reads a znode, for Lockstep itself, and the server's last transaction.
func (l *RealEnsemble) ask(op zookeeper.Op, at string) (zookeeper.Reply, error) {
	q := zookeeper.Request{Op: op, Path: at, Version: -1}
	_, frame, err := l.admin.Ask(zookeeper.AppendRequest(nil, q), nil)
	p, ok := zookeeper.ParseReply(op, frame)
	if err == nil && !ok {
		err = lang.Errorf("ZooKeeper ends the connection of Lockstep itself")
	}
	l.zxid = l.toWorld().Zxid(p.Zxid)
	return p, err
}

// Pass is Server's. It waits until the server's clock has reached the world's
// time, and until the server has ended the sessions that ended in the world.
func (l *RealEnsemble) Pass(_ sim.Ref, now history.Millis) (_ sim.Ref, h sim.Happened, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now, l.held = now, l.held && l.ticks()
	l.book = l.book.hear(now)
	after, did := l.book.state.Pass(now)
	l.book.state = after
	if l.err != nil || !l.held {
		return 0, h, l.err
	}
	err = l.sleep(time.Until(l.zero.Add(l.real(now))))
	if len(did.Ended) == 0 || err != nil {
		return 0, h, err
	}
	for want, end := l.zxid+int64(len(did.Ended)), time.Now().Add(l.server.Tick+lingering); ; {
		if _, err = l.ask(zookeeper.GetData, "/"); err != nil || l.zxid >= want {
			break
		}
		if time.Now().After(end) {
			return 0, h, lang.Errorf("ZooKeeper keeps a session for %v after its end", l.server.Tick+lingering)
		}
		if err = l.sleep(time.Millisecond); err != nil {
			break
		}
	}
	if err == nil {
		h, err = l.look()
	}
	return 0, h, err
}

// sleep lets the clients ping meanwhile.
func (l *RealEnsemble) sleep(d time.Duration) error {
	l.mu.Unlock()
	defer l.mu.Lock()
	select {
	case <-l.ctx.Done():
		return l.ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// ticks reports whether time makes a difference to the server.
func (l *RealEnsemble) ticks() bool {
	_, ticks := l.book.Next()
	return ticks
}

// hold compares the clocks if time makes a difference from now on. What rounds
// the ends of sessions, the ticks, is the same in both.
func (l *RealEnsemble) hold() {
	if !l.held && l.ticks() {
		l.align()
	}
}

// align waits until as much of a tick has passed on the server as in the world,
// and lets the clients ping.
func (l *RealEnsemble) align() {
	ahead := time.Since(l.server.Boundary) - l.real(l.now%ZooKeeperTick)
	wait := l.server.Tick - ahead%l.server.Tick
	l.err = errors.Join(l.err, l.sleep(wait))
	l.held, l.zero = true, time.Now().Add(-l.real(l.now))
	l.pings()
}

// pings lets the clients that attend ping.
func (l *RealEnsemble) pings() {
	l.beat = time.Now()
	for conn, c := range l.conns {
		if l.book.attends(conn) && !c.Ended && l.err == nil {
			l.err = c.ping()
		}
	}
}

// heart lets the clients that attend ping, a few times in each session, and
// Lockstep itself.
func (l *RealEnsemble) heart(ctx context.Context) {
	defer close(l.ended)
	every := l.server.Tick / 8
	for t := time.NewTicker(every); ; {
		select {
		case <-ctx.Done():
			t.Stop()
			return
		case <-t.C:
		}
		l.mu.Lock()
		l.drift = max(l.drift, time.Since(l.beat)-2*every)
		l.pings()
		if l.err == nil {
			zxid := l.zxid // a transaction that is seen here is still news
			_, l.err = l.ask(zookeeper.GetData, "/")
			l.zxid = zxid
		}
		l.mu.Unlock()
	}
}

// Fault is Server's. The seam makes the node slow.
func (l *RealEnsemble) Fault(_ sim.Ref, a history.Action, now history.Millis) (sim.Ref, sim.Happened, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch a.Verb {
	case history.Slow, history.Fast:
		after, _ := l.book.Hit(a, now)
		l.book = after.(ensemble)
	case history.Flush: // it has no scripts
	case history.Jump, history.Rate:
		return 0, sim.Happened{}, &live.RefusedError{Why: lang.New("the clock of a server cannot be turned from here")}
	default:
		return 0, sim.Happened{}, &live.RefusedError{Why: lang.New("a change of the leader: ZooKeeper is one server here")}
	}
	return 0, sim.Happened{}, l.err
}

// Attend is Server's.
func (l *RealEnsemble) Attend(_ sim.Ref, client string, how sim.Attendance) sim.Ref {
	l.mu.Lock()
	defer l.mu.Unlock()
	if how != sim.Pings {
		l.leave(func(conn string) bool { return strings.HasPrefix(conn, client+"/") })
	}
	l.pings()
	l.become(l.book.Attend(client, how).(ensemble))
	l.pings()
	return 0
}

// leave aligns the clocks if a session goes on that is not heard from.
func (l *RealEnsemble) leave(conns func(conn string) bool) {
	for _, conn := range l.book.state.Connections() {
		if session, _ := l.book.state.Connected(conn); session != 0 && conns(conn) && !l.held {
			l.align()
		}
	}
}

// become changes the book, and ends the sessions that it has forgotten, since
// their ends make no difference to anybody. On the server each is a transaction.
func (l *RealEnsemble) become(book ensemble) {
	before := l.book.state.Sessions()
	l.book = book
	left := book.state.Sessions()
	for _, id := range before {
		if i := int(id - zookeeper.FirstSession); !slices.Contains(left, id) && i < len(l.sessions) && l.err == nil {
			l.err = l.end(l.sessions[i])
		}
	}
}

// end ends a session on the server.
func (l *RealEnsemble) end(s realSession) error {
	c, err := l.server.Dial(l.ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	again := zookeeper.Request{Op: zookeeper.Connect, Session: s.id, Password: s.password, Timeout: int32((2 * l.server.Tick).Milliseconds())}
	if _, _, err := c.Ask(zookeeper.AppendRequest(nil, again), nil); err != nil {
		return err
	}
	_, reply, err := c.Ask(zookeeper.AppendRequest(nil, zookeeper.Request{Op: zookeeper.CloseSession}), nil)
	if p, ok := zookeeper.ParseReply(zookeeper.CloseSession, reply); ok {
		l.extra = append(l.extra, p.Zxid)
	}
	return err
}

// Forget is Server's.
func (l *RealEnsemble) Forget(_ sim.Ref, gone func(conn string) bool) sim.Ref {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.leave(gone)
	for _, conn := range slices.Sorted(maps.Keys(l.conns)) {
		if !gone(conn) {
			continue
		}
		l.conns[conn].Close()
		delete(l.conns, conn)
	}
	l.become(l.book.Drop(gone).(ensemble))
	return 0
}

// Close ends the node. Its sessions and znodes stay on the server.
func (l *RealEnsemble) Close() error {
	l.stop()
	<-l.ended
	for _, c := range l.conns {
		c.Close()
	}
	l.admin.Close()
	return nil
}
