package zookeeper

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"net"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"lockstep/internal/testkit"
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
		if s.kind == malformed && q.Op != Auth {
			frame = frame[:max(len(frame)-s.cut, 0)]
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

// connect opens a connection of a client, and with it a session, if the client has
// none.
func (b *bench) connect(s step) string {
	if b.conn[s.client] != "" {
		b.drop(s.client)
	}
	b.made++
	name := fmt.Sprintf("%c%d", 'A'+s.client, b.made)
	b.conns[name] = b.real.dial(b.t)
	b.state = b.state.Accept(name, 0)
	b.conn[s.client] = name
	q := Request{Op: Connect, Timeout: timeout, Session: b.session[s.whose], Password: make([]byte, 16)}
	if q.Session != 0 {
		q.Password = password(b.session[s.whose])
	}
	switch s.wrong {
	case "password":
		q.Password[3]++
	case "zxid":
		q.Zxid = b.state.Zxid() + 1
	case "long":
		q.Timeout = 1<<31 - 1
	case "old":
		q.Old = true
	case "brief":
		q.Timeout = brief
	}
	frame := AppendRequest(nil, q)
	if s.wrong == "short" {
		frame = frame[:30]
	}
	text := b.exchange(name, q, frame)
	if id, ok := b.state.Connected(name); ok {
		b.session[s.client] = id
	}
	return text
}

// drop closes a client's connection on both sides, and waits for the server to
// have noticed. (If it notices only after the client's next connect, it no longer knows which
// connection the session has.)
func (b *bench) drop(client int) {
	name := b.conn[client]
	b.state = b.state.Disconnect(name)
	b.conns[name].Conn.(*net.TCPConn).CloseWrite()
	for frame := []byte{}; frame != nil; {
		if frame = b.conns[name].receive(b.t); string(frame) == nothing {
			b.t.Fatal("ZooKeeper does not notice that a client is gone")
		}
	}
	b.forget(name)
}

// forget closes a connection that the State no longer has.
func (b *bench) forget(name string) {
	b.conns[name].Close()
	delete(b.conns, name)
	if c := slices.Index(b.conn[:], name); c >= 0 {
		b.conn[c] = ""
	}
}

// expire lets a client's session expire: the client reconnects with the shortest
// time-out and then, unless it is silent, drops its connection. The bench waits
// until the server has the transaction that ends the session.
func (b *bench) expire(s step) string {
	if !slices.Contains(b.state.Sessions(), b.session[s.client]) {
		return ""
	}
	if text := b.connect(step{client: s.client, whose: s.client, wrong: "brief"}); text != "" {
		return text
	}
	if s.kind == expires {
		b.drop(s.client)
	}
	var done Done
	b.state, done = b.state.Expire(b.session[s.client], 0)
	observer := b.conns[b.conn[clients]]
	for began := time.Now(); time.Since(began) < replyWithin; time.Sleep(time.Millisecond) {
		observer.send(AppendFrame(nil, AppendRequest(nil, Request{Op: Ping})))
		r := reader{b: observer.receive(b.t)}
		r.int()
		if r.long() == b.state.Zxid() {
			return b.compare("", &Request{}, done)
		}
	}
	return "the session does not expire"
}

// badLength sends a length, at which a server closes the connection unless it is
// possible. Then it is the start of a frame that never ends.
func (b *bench) badLength(name string, n int32) string {
	stream := binary.BigEndian.AppendUint32(nil, uint32(n))
	b.conns[name].send(stream)
	_, _, ok, err := Cut(stream)
	switch {
	case ok:
		return b.exchangeNothing(name)
	case err == nil:
		b.drop(slices.Index(b.conn[:], name))
		return ""
	}
	b.state = b.state.Disconnect(name)
	frame := b.conns[name].receive(b.t)
	b.forget(name)
	if frame != nil {
		return fmt.Sprintf("zookeeper does not close the connection, but sends %x", frame)
	}
	return ""
}

// exchangeNothing compares what comes of an empty frame that has been sent.
func (b *bench) exchangeNothing(name string) string {
	var done Done
	b.state, done = b.state.Receive(name, nil, 0)
	return b.compare(name, &Request{}, done)
}

// compare reads what the State says that the server sends. The order of the events of a
// session's end is that of a hash table in ZooKeeper, and sorted here.
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

// tidy compares that nothing else has come to the clients, ends all sessions and deletes all nodes.
func (b *bench) tidy() string {
	for c := range clients {
		if name := b.conn[c]; name != "" {
			q := Request{Op: Ping}
			if text := b.exchange(name, q, AppendRequest(nil, q)); text != "" {
				return "at the end " + text
			}
			b.drop(c)
		}
	}
	for _, id := range b.state.Sessions() {
		if id == b.session[clients] {
			continue
		}
		b.session[0] = id
		if text := b.connect(step{}); text != "" {
			return "at the end " + text
		}
		q := Request{Op: CloseSession}
		if text := b.exchange(b.conn[0], q, AppendRequest(nil, q)); text != "" {
			return "at the end " + text
		}
	}
	return b.clear()
}

// clear deletes all nodes, the last first.
func (b *bench) clear() string {
	me := b.conn[clients]
	auth := Request{Op: Auth, Scheme: "digest", Data: []byte("u:p")}
	if text := b.exchange(me, auth, AppendRequest(nil, auth)); text != "" {
		return "at the end " + text
	}
	nodes := b.state.Nodes()
	var all []Request
	for _, n := range nodes {
		if len(n.ACL) != 1 || n.ACL[0].ID != anyone {
			all = append(all, Request{Op: SetACL, Path: n.Path, ACL: open, Version: -1})
		}
	}
	for _, n := range slices.Backward(nodes) {
		if !special(n.Path) {
			all = append(all, Request{Op: Delete, Path: n.Path, Version: -1})
		}
	}
	for _, q := range all {
		if text := b.exchange(me, q, AppendRequest(nil, q)); text != "" {
			return "at the end " + text
		}
	}
	if n := len(b.state.Nodes()); n != 4 {
		b.t.Fatalf("%d nodes are left", n)
	}
	return ""
}

// TestConformance runs random scripts on a real ZooKeeper and on a State, and
// compares all that they send to the byte, except for what normal leaves out.
func TestConformance(t *testing.T) {
	runs, shards := testkit.Size(t, 150, 30), runtime.GOMAXPROCS(0)
	if runs < 1000 {
		shards = 1 // a second server takes longer to start than the scripts
	}
	for shard := range shards {
		t.Run(fmt.Sprint("shard ", shard), func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			done := 0
			for seed := shard; seed < runs; seed += shards {
				b.check(t, rand.NewPCG(uint64(seed), 0), fmt.Sprint("seed ", seed))
				done++
			}
			t.Logf("%d scripts agree with ZooKeeper", done)
			b.report(t)
		})
	}
}

// check fails at the first difference, with the shortest script that still
// differs.
func (b *bench) check(t testing.TB, source rand.Source, name string) {
	t.Helper()
	script := newGenerator(source).script()
	if text := b.play(script); text != "" {
		shortest, text, log := b.shrink(script, text)
		t.Fatalf("%s: %s\n\n%s\n\n%d steps:\n%s", name, text, strings.Join(log, "\n"), len(shortest), lines(shortest))
	}
}

func lines(script []step) string {
	var b strings.Builder
	for _, s := range script {
		b.WriteString(s.String() + "\n")
	}
	return b.String()
}

// shrink removes steps while the script still differs. After a difference the
// two sides have parted: each try has a new server.
func (b *bench) shrink(script []step, text string) ([]step, string, []string) {
	log := b.log
	for i, tries := len(script)-1, 0; i >= 0 && tries < 60; i, tries = i-1, tries+1 {
		fresh := newBench(b.t)
		less := slices.Delete(slices.Clone(script), i, i+1)
		if other := fresh.play(less); other != "" {
			script, text, log = less, other, fresh.log
		}
	}
	return script, text, log
}

// report logs how often what happened.
func (b *bench) report(t testing.TB) {
	var list []string
	for what, n := range b.counts {
		list = append(list, fmt.Sprintf("%s %d", what, n))
	}
	slices.Sort(list)
	t.Log(strings.Join(list, ", "))
}
