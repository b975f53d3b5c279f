package zookeeper

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// A bench runs scripts on a ZooKeeper and on a State that goes along with it:
// both have the same zxid and the same ids of sessions.
type bench struct {
	t     testing.TB
	real  *realServer
	conns map[string]*realConn
	state State
	made  int // connections so far
	// Of the clients, and at last of the bench itself, which never loses its
	// connection.
	conn    [clients + 1]string
	session [clients + 1]int64
	asked   []Request // of the step: what was sent
	log     []string
	counts  map[string]int
}

// timeout is that of sessions which do not expire during a script.
const timeout = 600_000

// brief is that of a session that is about to expire: long enough for the server to
// reply first, however busy the machine.
const brief = 10 * tick

func newBench(t testing.TB) *bench {
	b := &bench{t: t, real: startServer(t), conns: map[string]*realConn{}, counts: map[string]int{}}
	probe := b.real.dial(t)
	defer probe.Close()
	probe.send(AppendFrame(nil, AppendRequest(nil, Request{Op: Connect, Timeout: timeout})))
	r := reader{b: probe.receive(t)}
	r.take(8)
	b.state = New(Config{Tick: tick, MinTimeout: tick, MaxTimeout: timeout})
	b.state.next = r.long() + 1
	probe.send(AppendFrame(nil, AppendRequest(nil, Request{Op: CloseSession, Xid: 1})))
	r = reader{b: probe.receive(t)}
	r.take(4)
	b.state.servers[0].zxid = r.long()
	b.session[clients] = 0
	if text := b.connect(step{client: clients, whose: clients}); text != "" {
		t.Fatal(text)
	}
	return b
}

// play runs a script on both sides, and leaves both empty. It returns the
// first difference.
func (b *bench) play(script []step) string {
	b.log = nil
	for c := range clients {
		b.conn[c], b.session[c] = "", 0
	}
	for _, s := range script {
		b.log = append(b.log, s.String())
		if text := b.step(s); text != "" {
			return text
		}
	}
	return b.tidy()
}

func (b *bench) step(s step) string {
	b.asked = nil
	switch name := b.conn[s.client]; {
	case s.kind == connects:
		return b.connect(s)
	case s.kind == expires || s.kind == silent:
		return b.expire(s)
	case name == "": // it has no connection
	case s.kind == drops:
		b.drop(s.client)
	case s.kind == stream:
		return b.badLength(name, s.q.Version)
	default:
		q := b.resolve(s.q)
		frame := AppendRequest(nil, q)
		if s.kind == malformed {
			frame = frame[:max(len(frame)-s.cut, 0)]
		}
		if s.raw != nil {
			frame = s.raw
		}
		return b.exchange(name, q, frame)
	}
	return ""
}

// resolve fills in what depends on the run: names of children, and the zxid of
// SetWatches, which a script counts back from the last.
func (b *bench) resolve(q Request) Request {
	q.Path = b.path(q.Path)
	if q.Op == SetWatches {
		q.Zxid += b.state.Zxid()
		for i := range q.Watches {
			q.Watches[i] = slices.Clone(q.Watches[i])
			for j := range q.Watches[i] {
				q.Watches[i][j] = b.path(q.Watches[i][j])
			}
		}
	}
	q.Ops = slices.Clone(q.Ops)
	for i := range q.Ops {
		q.Ops[i] = b.resolve(q.Ops[i])
	}
	return q
}

// path puts the last child's name in place of #, and a node's path in place of
// * with a number.
func (b *bench) path(path string) string {
	if strings.HasPrefix(path, "*") {
		nodes := slices.DeleteFunc(b.state.Nodes(), func(n *Node) bool { return special(n.Path) })
		if len(nodes) == 0 {
			return "/a"
		}
		return nodes[int(path[1]-'0')%len(nodes)].Path
	}
	above, found := strings.CutSuffix(path, "/#")
	if !found {
		return path
	}
	nodes := b.state.servers[0].nodes
	if n := nodes.find(above); n != nil && n.Children > 0 {
		return above + "/" + nodes.children(n)[n.Children-1]
	}
	return above + "/n-0000000000"
}

// exchange sends a frame and compares what it causes.
func (b *bench) exchange(name string, q Request, frame []byte) string {
	var done Done
	before := b.state
	if len(frame) < 8 {
		q = Request{}
	}
	b.state, done = b.state.Receive(name, frame, 0)
	if before.Zxid() > b.state.Zxid() {
		b.t.Fatal("the zxid went back")
	}
	b.conns[name].send(AppendFrame(nil, frame))
	return b.compare(name, &q, done)
}

// compare reads what the State says that the server sends. The order of the events
// of a session's end is that of a hash table in ZooKeeper, and sorted here.
func (b *bench) compare(asker string, q *Request, done Done) string {
	var names []string
	for _, o := range done.Outs {
		if !slices.Contains(names, o.Conn) {
			names = append(names, o.Conn)
		}
	}
	for _, name := range names {
		var want, got []string
		events, closed := 0, false
		for _, o := range done.Outs {
			if o.Conn != name {
				continue
			}
			closed = closed || o.Close
			want = append(want, normal(q, o))
			frame := b.conns[name].receive(b.t)
			got = append(got, normal(q, Out{Frame: frame, Event: isEvent(frame), Close: frame == nil}))
			if o.Event {
				events++
			}
		}
		if len(done.Ended) > 0 {
			slices.Sort(want[:events])
			slices.Sort(got[:events])
		}
		if closed {
			b.forget(name)
		}
		for i := range want {
			b.count(name == asker, q, want[i])
			b.log = append(b.log, "    "+name+" "+want[i])
			if want[i] != got[i] {
				return fmt.Sprintf("to %s\n  zookeeper %s\n  state     %s", name, got[i], want[i])
			}
		}
	}
	return ""
}

func isEvent(frame []byte) bool { return len(frame) > 16 && string(frame[:4]) == "\xff\xff\xff\xff" }

// count counts what happened, for the report.
func (b *bench) count(reply bool, q *Request, text string) {
	what, _, _ := strings.Cut(text, " ")
	if reply && what != "event" {
		what = q.Op.String() + " " + what
	}
	b.counts[what]++
}
