package zookeeper

import "testing"

// TestLag: a server that lags serves old reads until it misses too much, or
// answers a sync or a write. Watches fire when it learns of the change.
func TestLag(t *testing.T) {
	s := newScene(t, Config{Servers: 2})
	s.join(0, 4000, "A")
	s.join(1, 4000, "B", "C")
	s.ask("A", create("/a", 0))
	s.take(s.Lag(1, 2, 0))
	check(t, "a watch", s.ask("B", watch(GetData, "/a")), "x v0")
	check(t, "the leader", s.ask("A", set("/a", -1)), "v1")
	check(t, "old", s.ask("B", read(GetData, "/a")), "x v0")
	check(t, "the leader", s.ask("A", set("/a", -1)), "v2")
	check(t, "still", s.ask("C", read(Exists, "/a")), "v0")
	check(t, "too many", s.ask("A", set("/a", -1)), "B! NodeDataChanged /a, v3")
	check(t, "two behind", s.ask("C", read(Exists, "/a")), "v1")
	if n := s.Behind(1); n != 2 {
		t.Errorf("it is %d behind", n)
	}
	check(t, "sync", s.ask("C", read(Sync, "/")), "/")
	check(t, "synced", s.ask("C", read(Exists, "/a")), "v3")
	s.ask("A", set("/a", -1))
	check(t, "behind again", s.ask("C", read(Exists, "/a")), "v3")
	check(t, "a write", s.ask("B", create("/b", 0)), "/b")
	check(t, "up to it", s.ask("C", read(Exists, "/a")), "v4")
	check(t, "and with it", s.ask("C", read(Exists, "/b")), "v0")
	s.ask("B", watch(Exists, "/c"))
	s.ask("A", create("/c", 0))
	check(t, "no longer", s.take(s.Lag(1, 0, 0)), "B! NodeCreated /c")
	check(t, "never the leader", s.take(s.Lag(0, 5, 0)), "")
	s.ask("A", create("/d", 0))
	check(t, "never the leader", s.ask("A", read(Exists, "/d")), "v0")
}

// TestLagAndSessions: a server that lags learns late of the end of a session,
// refuses who has seen more, and loses a session that goes elsewhere.
func TestLagAndSessions(t *testing.T) {
	s := newScene(t, Config{Servers: 2})
	s.join(0, 4000, "A")
	s.join(1, 4000, "B")
	a, _ := s.Connected("A")
	b, _ := s.Connected("B")
	s.take(s.Lag(1, 5, 0))
	s.ask("B", watch(Exists, "/a"))
	s.ask("A", create("/a", 0))
	check(t, "seen more", s.rejoin("A2", 1, a, Request{Zxid: 3}), "A2 closed")
	check(t, "expired", s.take(s.Expire(b, 0)), "")
	check(t, "served yet", s.ask("B", read(Exists, "/a")), "NoNode")
	before := s.State
	check(t, "but for no sync", s.ask("B", read(Sync, "/")), "B! NodeCreated /a, B closed")
	s.State = before
	check(t, "but for no write", s.ask("B", create("/b", 0)), "B! NodeCreated /a, B closed")
	check(t, "moved", s.rejoin("A3", 1, a, Request{}), "session 0x100000000000000 4s")
	check(t, "read where it was", s.ask("A", read(Exists, "/a")), "v0")
	check(t, "write where it was", s.ask("A", set("/a", -1)), "A closed")
	check(t, "write where it is", s.ask("A3", set("/a", -1)), "v1")
	check(t, "closes", s.ask("A3", Request{Op: CloseSession}), "OK, A3 closed")
}

// TestElect: a new leader drops all connections, keeps all nodes, begins an epoch,
// and gives every session its whole time-out.
func TestElect(t *testing.T) {
	s := newScene(t, Config{Servers: 2})
	s.join(0, 4000, "A")
	s.join(1, 4000, "B")
	s.ask("A", create("/e", Ephemeral))
	id, _ := s.Connected("A")
	s.take(s.Lag(1, 5, 0))
	s.ask("A", create("/a", 0))
	check(t, "elect", s.take(s.Elect(5000)), "A closed, B closed")
	if at, _ := s.NextExpiry(); at != 10_000 || s.Zxid() != 1<<32 || s.Behind(1) != 0 {
		t.Errorf("expiry %d, zxid %#x, behind %d", at, s.Zxid(), s.Behind(1))
	}
	s.now = 9999
	check(t, "back", s.rejoin("A2", 1, id, Request{Timeout: 4000, Zxid: 4}), "session 0x100000000000000 4s")
	check(t, "all there", s.ask("A2", read(GetChildren, "/")), "[a e zookeeper]")
	s.ask("A2", create("/b", 0))
	if n := s.Node("/b"); n.Czxid != 1<<32+1 {
		t.Errorf("the first of the epoch is %#x", n.Czxid)
	}
}

// TestShift: a state moved by a tick has the same future at the moved time.
func TestShift(t *testing.T) {
	s := newScene(t, Config{Tick: 1000, Servers: 2, Timeless: true})
	s.join(1, 4000, "A")
	s.take(s.Lag(1, 5, 0))
	s.ask("A", create("/a", Ephemeral))
	moved := s.Shift(3000)
	if string(moved.Append(nil, 3000)) != string(s.Append(nil, 0)) {
		t.Error("the moved state differs")
	}
	if string(moved.Append(nil, 0)) == string(s.Append(nil, 0)) {
		t.Error("a moved state is the same at the old time")
	}
	one, _ := s.NextExpiry()
	if other, _ := moved.NextExpiry(); other != one+3000 {
		t.Errorf("it expires at %d, the moved one at %d", one, other)
	}
}
