// Package zookeeper is a deterministic ZooKeeper ensemble as a value: a tree of
// znodes, sessions with their timeouts, connections with their watches, and
// followers that may lag. It speaks the wire protocol to unmodified clients.
// What happens is a function of the value, the bytes that came and the time;
// no method changes its receiver.
//
//	s := zookeeper.New(zookeeper.Config{})
//	s = s.Accept("A", 0)
//	s, done := s.Receive("A", frame, now) // done.Outs is to be written, done.Changes to be judged
//	s, done = s.Pass(later)               // sessions expire
//
// jute.go and request.go hold the protocol, tree.go the nodes, draft.go what
// transactions do to them, commit.go how a transaction gets to the servers and
// fires watches, session.go and fault.go what happens to sessions, text.go what
// people read. TestConformance compares the replies with a real server's.
//
// It has no containers, no nodes with a TTL, no quotas, no persistent watches, and
// no ACLs by address; a request for those is answered like an unknown one, or
// refused.
package zookeeper

import (
	"slices"
	"strings"

	"lockstep/sim/history"
)

// A Config says what does not change during a run.
type Config struct {
	// Tick is tickTime, the default 2 s: the end of a session is rounded up to the
	// next multiple of it. A session's timeout lies between MinTimeout and
	// MaxTimeout, by default 2 and 20 ticks.
	Tick, MinTimeout, MaxTimeout history.Millis
	// Servers is the number of servers, at least 1. The first is the leader; the
	// others differ from it only if they lag.
	Servers int
	// Wall is what the servers' clocks show at the time 0, in milliseconds since
	// 1970. All times of nodes are that: otherwise states would differ only in the
	// ages of nodes.
	Wall int64
}

// A State is all of an ensemble that makes a difference to what clients see.
// Copies share what neither changes.
type State struct {
	config   Config
	next     int64    // the id of the next session
	servers  []server // the leader first
	sessions []session
	conns    []conn // sorted by name
}

// A server is what one server knows.
type server struct {
	view
	lag    int   // how many transactions it may miss
	missed []txn // those that it does, the oldest first
}

// A view is a tree and the last transaction that is in it.
type view struct {
	zxid  int64
	nodes tree
}

// A session is what the leader knows of one.
type session struct {
	id       int64
	timeout  history.Millis // that it began with
	deadline history.Millis // when it ends, if nothing is heard from it
	conn     string         // that it was last connected by; "" if that has gone
}

// A conn is a client's connection to a server.
type conn struct {
	name    string
	server  int
	session int64          // 0 before the connect request
	timeout history.Millis // as it was agreed
	who     []ID           // that it has authenticated as
	data    []string       // the paths with a watch for data or existence, sorted
	child   []string       // the paths with a watch for children, sorted
}

// New returns an ensemble without clients.
func New(c Config) State {
	if c.Tick <= 0 {
		c.Tick = 2 * history.Second
	}
	if c.MinTimeout <= 0 {
		c.MinTimeout = 2 * c.Tick
	}
	if c.MaxTimeout <= 0 {
		c.MaxTimeout = 20 * c.Tick
	}
	c.Servers = max(c.Servers, 1)
	s := State{config: c, next: FirstSession, servers: make([]server, c.Servers)}
	for i := range s.servers {
		s.servers[i].nodes = newTree()
	}
	return s
}

// Done is what an input caused.
type Done struct {
	// Outs are to be written, in this order.
	Outs []Out
	// Changes are those of nodes, Ended the sessions that ended.
	Changes []Change
	Ended   []int64
}

// An Out is what a server does to a connection: it writes a frame, or closes
// it. A closed connection is forgotten.
type Out struct {
	Conn  string
	Frame []byte // without its length; see AppendFrame
	Event bool   // the frame reports a watch, and replies to nothing
	Close bool   // there is no frame
}

// A Change is what happened to a node.
type Change struct {
	Path          string
	Before, After *Node // nil: there was, or is, none
}

// Accept returns the state with a new connection to a server. The name must not be in
// use.
func (s State) Accept(name string, to int) State {
	i, _ := s.search(name)
	s.conns = slices.Insert(slices.Clone(s.conns), i, conn{name: name, server: min(max(to, 0), len(s.servers)-1)})
	return s
}

// Disconnect returns the state after a connection has broken. Its watches are
// gone, its session lives on until its timeout.
func (s State) Disconnect(name string) State {
	t := s.turn(0)
	t.drop(name)
	return t.State
}

// Connected returns the session of a connection, 0 if it has none. ok is false if
// there is no such connection.
func (s *State) Connected(name string) (session int64, ok bool) {
	i, found := s.search(name)
	if !found {
		return 0, false
	}
	return s.conns[i].session, true
}

// Nodes returns all nodes as the leader knows them, sorted by path.
func (s *State) Nodes() []*Node { return slices.Clone(s.servers[0].nodes) }

// Sessions returns the ids of all sessions, in the order of their creation.
func (s *State) Sessions() []int64 {
	ids := make([]int64, len(s.sessions))
	for i := range s.sessions {
		ids[i] = s.sessions[i].id
	}
	return ids
}

func (s *State) search(name string) (int, bool) {
	return slices.BinarySearchFunc(s.conns, name, func(c conn, name string) int { return strings.Compare(c.name, name) })
}

// Receive executes a request that came over a connection. Sessions whose time
// has come expire first. On an error of the connection it is closed, and nothing else
// has changed.
func (s State) Receive(name string, frame []byte, now history.Millis) (State, Done) {
	t := s.turn(now)
	t.pass()
	t.receive(name, frame)
	return t.State, t.done
}

func (t *turn) receive(name string, frame []byte) {
	c := t.conn(name)
	if c == nil {
		return
	}
	q, err := ParseRequest(frame, c.session == 0)
	switch {
	case err != nil:
		t.close(name)
	case q.Op == Connect:
		t.connect(c, &q)
	case q.Op == Auth:
		t.auth(c, &q)
	default:
		t.touch(c.session, c.timeout)
		t.execute(c, &q)
	}
}

// execute executes a request that is no handshake.
func (t *turn) execute(c *conn, q *Request) {
	switch {
	case !q.Op.known():
		name := c.name
		t.reply(name, q.Xid, -1, Unimplemented, nil)
		t.close(name)
	case q.Op.writes():
		t.write(c.name, q)
	default:
		t.read(c, q)
	}
}
