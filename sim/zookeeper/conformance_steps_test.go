package zookeeper

import (
	"encoding/binary"
	"fmt"
	"net"
	"slices"
	"time"
)

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
		q.Password = Password(b.session[s.whose])
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

// drop closes a client's connection on both sides, and waits for the server to have
// noticed. (If it notices only after the client's next connect, it no longer knows
// which connection the session has.)
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
// timeout and then, unless it is silent, drops its connection. The bench waits
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

// tidy compares that nothing else has come to the clients, ends all sessions and
// deletes all nodes.
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
