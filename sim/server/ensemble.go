package server

import (
	"slices"
	"strconv"
	"strings"

	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/zookeeper"
)

// An ensemble is a ZooKeeper ensemble as a Value: one node, whichever of its
// servers a client talks to. The sessions of clients that attend are touched as
// time passes, as their pings would; the others expire.
type ensemble struct {
	state  zookeeper.State
	health sim.Health
	// With a follower, which may miss so many transactions, all clients talk to
	// it.
	lag    int
	absent []string  // the clients that do not attend, sorted
	left   []string  // the clients whose process has ended, sorted
	unread []letters // sorted by connection
	gone   []string  // the connections that the server has closed, sorted
	owners []owner   // of sessions, in the order of their creation
}

// letters are the messages that a connection's client has not read.
type letters struct {
	conn string
	list []Unread
}

// An owner is the client that a session belongs to.
type owner struct {
	session int64
	client  string
}

func newEnsemble(c history.Config) Value {
	e := ensemble{lag: c.Lag}
	servers := 1
	if e.lag > 0 {
		servers = 2
	}
	e.state = zookeeper.New(zookeeper.Config{Tick: ZooKeeperTick, Servers: servers, Wall: sim.Epoch().UnixMilli()})
	if e.lag > 0 {
		e.state, _ = e.state.Lag(1, e.lag, 0)
	}
	return e
}

// Append is Value's.
func (e ensemble) Append(b []byte) []byte {
	b = e.state.Append(b, 0)
	for _, id := range e.state.Sessions() { // whose each is, without a connection too
		b = strconv.AppendQuote(b, e.ownerOf(id))
	}
	b = appendQuoted(appendQuoted(appendQuoted(b, e.absent), e.left), e.gone)
	for _, l := range e.unread {
		b = strconv.AppendQuote(b, l.conn)
		for _, u := range l.list {
			b = strconv.AppendQuote(b, u.Raw)
		}
	}
	b = strconv.AppendBool(strconv.AppendBool(b, e.health.Down), e.health.Slow)
	return strconv.AppendInt(b, int64(e.health.Life), 10)
}

// Same is Value's.
func (e ensemble) Same(Value) bool { return false }

// Condition is Value's.
func (e ensemble) Condition() sim.Health { return e.health }

// Missed is Value's: the ensemble elects a leader that has missed nothing.
func (e ensemble) Missed() int { return 0 }

// Has is Value's: ZooKeeper evicts nothing.
func (e ensemble) Has(string) bool { return false }

// List is Value's.
func (e ensemble) List() (views []KeyView) {
	for _, n := range e.state.Nodes() {
		if n.Path != "/" && !strings.HasPrefix(n.Path, "/zookeeper") {
			views = append(views, KeyView{Key: zookeeper.Short(n.Path), State: *e.shown(n)})
		}
	}
	return views
}

// shown returns a znode as a history shows it: of an ephemeral one its client,
// and the data.
func (e ensemble) shown(n *zookeeper.Node) *history.KeyState {
	if n == nil {
		return nil
	}
	kind := history.Znode
	var words []string
	if n.Owner != 0 {
		kind = history.Ephemeral
		words = append(words, e.ownerOf(n.Owner))
	}
	if len(n.Data) > 0 {
		words = append(words, string(n.Data))
	}
	return &history.KeyState{Type: kind, Value: strings.Join(words, " ")}
}

// ownerOf returns the client that a session belongs to.
func (e ensemble) ownerOf(session int64) string {
	for _, o := range e.owners {
		if o.session == session {
			return o.client
		}
	}
	return ""
}

// Timed is Value's: a session's end is rounded to a tick.
func (e ensemble) Timed([]sim.Unit, func(string) bool) bool { return true }

// Execute is Value's.
func (e ensemble) Execute(_, conn string, units []sim.Unit, now history.Millis) (Value, []sim.Executed, error) {
	e = e.hear(now)
	var done []sim.Executed
	for _, u := range units {
		var x sim.Executed
		frame := []byte(u.Cmds[0][len(u.Cmds[0])-1])
		if u.Seen != 0 {
			session, _ := e.state.Connected(conn)
			frame = zookeeper.Renew(frame, session == 0, u.Seen)
		}
		e, x = e.execute(conn, frame, now)
		done = append(done, x)
	}
	return e, done, nil
}

// connectionLoss stands for a reply that cannot come, as ZooKeeper's clients call it.
const connectionLoss = "ConnectionLoss"

// execute executes one request. Over a connection that the server has closed,
// nothing comes through.
func (e ensemble) execute(conn string, frame []byte, now history.Millis) (ensemble, sim.Executed) {
	if slices.Contains(e.gone, conn) {
		return e, sim.Executed{Reply: connectionLoss}
	}
	session, known := e.state.Connected(conn)
	if !known {
		to := 0
		if e.lag > 0 {
			to = 1
		}
		e.state = e.state.Accept(conn, to)
	}
	request, err := zookeeper.ParseRequest(frame, session == 0)
	var did zookeeper.Done
	e.state, did = e.state.Receive(conn, frame, now)
	if id, _ := e.state.Connected(conn); id != 0 && e.ownerOf(id) == "" {
		client, _, _ := strings.Cut(conn, "/")
		e.owners = append(slices.Clip(e.owners), owner{id, client})
	}
	x := sim.Executed{Reply: connectionLoss}
	for i := range did.Outs {
		if out := &did.Outs[i]; err == nil && out.Conn == conn && !out.Event && !out.Close {
			x.Reply = zookeeper.ReplyText(&request, out.Frame)
			out.Frame, x.Stamp = zookeeper.Unstamp(&request, out.Frame)
		}
	}
	e, x.Happened = e.happened(did, conn, &x.Raw)
	return e, x
}

// happened takes what the servers did. What they write over the connection
// that they answer goes to raw; the rest are messages.
func (e ensemble) happened(did zookeeper.Done, answers string, raw *[]byte) (ensemble, sim.Happened) {
	var h sim.Happened
	for _, ch := range did.Changes {
		h.Changes = append(h.Changes, history.Change{Key: zookeeper.Short(ch.Path), Before: e.shown(ch.Before), After: e.shown(ch.After)})
	}
	for _, out := range did.Outs {
		switch {
		case out.Close:
			e.gone = with(e.gone, out.Conn)
		case out.Conn == answers:
			*raw = zookeeper.AppendFrame(*raw, out.Frame)
		default:
			msg := sim.Message{Conn: out.Conn, Raw: string(zookeeper.AppendFrame(nil, out.Frame)), Text: zookeeper.EventText(out.Frame)}
			e = e.send(msg)
			h.Sent = append(h.Sent, msg)
		}
	}
	return e, h
}

func (e ensemble) send(msg sim.Message) ensemble {
	e.unread = slices.Clone(e.unread)
	i, found := slices.BinarySearchFunc(e.unread, msg.Conn, func(l letters, conn string) int { return strings.Compare(l.conn, conn) })
	if !found {
		e.unread = slices.Insert(e.unread, i, letters{conn: msg.Conn})
	}
	e.unread[i].list = append(slices.Clip(e.unread[i].list), Unread{msg.Raw, msg.Text})
	return e
}

// attends reports whether the client of a connection pings.
func (e ensemble) attends(conn string) bool {
	client, _, _ := strings.Cut(conn, "/")
	return !e.health.Down && !slices.Contains(e.absent, client) && !slices.Contains(e.left, client)
}

// hear lets all clients that attend ping.
func (e ensemble) hear(now history.Millis) ensemble {
	e.state = e.state.Hear(e.attends, now)
	return e
}

// NextExpiry is Value's. An ensemble that is down has no leader to expire sessions.
func (e ensemble) NextExpiry() (history.Millis, bool) {
	if e.health.Down {
		return 0, false
	}
	return e.state.NextExpiryBut(e.attends)
}

// Pass is Value's.
func (e ensemble) Pass(now history.Millis) (Value, sim.Happened) {
	if e.health.Down {
		return e, sim.Happened{}
	}
	e = e.hear(now)
	after, did := e.state.Pass(now)
	e.state = after
	v, h := e.happened(did, "", nil)
	return v, h
}

// Fault is Value's. A restart is a change of the leader. ZooKeeper measures
// timeouts by a clock that does not jump.
func (e ensemble) Fault(a history.Action, now history.Millis) (Value, sim.Happened) {
	switch a.Verb {
	case history.Restart, history.Wipe, history.Down, history.Up:
		e.health.Life++
		e.health.Down = a.Verb == history.Down
		e.unread = nil // with their connections
		after, did := e.state.Elect(now)
		e.state = after
		v, h := e.happened(did, "", nil)
		return v, h
	case history.Slow, history.Fast:
		e.health.Slow = a.Verb == history.Slow
	}
	return e, sim.Happened{}
}

// Unread is Value's.
func (e ensemble) Unread(conn string) (sim.Message, bool) {
	for _, l := range e.unread {
		if l.conn == conn {
			return sim.Message{Conn: conn, Raw: l.list[0].Raw, Text: l.list[0].Text}, true
		}
	}
	return sim.Message{}, false
}

// Take is Value's.
func (e ensemble) Take(conn string) Value {
	e.unread = slices.Clone(e.unread)
	for i := range e.unread {
		if l := &e.unread[i]; l.conn == conn {
			l.list = l.list[1:]
		}
	}
	e.unread = slices.DeleteFunc(e.unread, func(l letters) bool { return len(l.list) == 0 })
	return e
}

// Broken is Value's. What the server has sent before can still be read.
func (e ensemble) Broken(conn string) bool {
	_, more := e.Unread(conn)
	return !more && slices.Contains(e.gone, conn)
}

// Forget is Value's.
func (e ensemble) Forget(gone func(string) bool) Value {
	for _, conn := range e.state.Connections() {
		if gone(conn) {
			e.state = e.state.Disconnect(conn)
		}
	}
	e.unread = slices.DeleteFunc(slices.Clone(e.unread), func(l letters) bool { return gone(l.conn) })
	e.gone = slices.DeleteFunc(slices.Clone(e.gone), gone)
	return e.tidy()
}

// Attend is Value's. A client that is gone for good is no longer absent.
func (e ensemble) Attend(client string, how sim.Attendance) Value {
	switch {
	case how == sim.Pings && client == "":
		e.absent = nil
		return e
	case how == sim.Silent:
		e.absent = with(e.absent, client)
		return e
	}
	e.absent = slices.DeleteFunc(slices.Clone(e.absent), func(c string) bool { return c == client })
	if how == sim.Left {
		e.left = with(e.left, client)
	}
	return e.tidy()
}

// tidy forgets the sessions of clients that are gone, without a node or a
// connection: how they end makes no difference to anybody.
func (e ensemble) tidy() ensemble {
	if len(e.left) > 0 {
		e.state = e.state.Without(func(session int64) bool { return slices.Contains(e.left, e.ownerOf(session)) })
	}
	return e
}

// Shift is Value's; see Timed.
func (e ensemble) Shift(by history.Millis) Value {
	e.state = e.state.Shift(by)
	return e
}

// with returns a sorted list with one more element, once.
func with(list []string, more string) []string {
	i, found := slices.BinarySearch(list, more)
	if found {
		return list
	}
	return slices.Insert(slices.Clone(list), i, more)
}
