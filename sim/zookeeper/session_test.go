package zookeeper

import (
	"fmt"
	"testing"

	"lockstep/sim/history"
)

// TestExpiry: a session ends at the first tick after its timeout, counted from the
// last that was heard of it, and the timeout is within the server's bounds.
func TestExpiry(t *testing.T) {
	for _, c := range []struct{ at, timeout, want history.Millis }{
		{0, 4000, 6000},
		{1, 4000, 6000},
		{1999, 4000, 6000},
		{2000, 4000, 8000},
		{0, 4001, 6000},
		{0, 5999, 6000},
		{0, 6000, 8000},
		{0, 1, 6000},
		{0, 1 << 30, 42000},
	} {
		s := newScene(t, Config{})
		s.now = c.at
		s.join(0, c.timeout, "A")
		if at, ok := s.NextExpiry(); at != c.want || !ok {
			t.Errorf("a session of %d ms from %d on expires at %d, want %d", c.timeout, c.at, at, c.want)
		}
		s.take(s.Pass(c.want - 1))
		check(t, "just before", told("", nil, s.last), "")
		s.take(s.Pass(c.want))
		check(t, "at the tick", told("", nil, s.last), "A closed")
		if _, ok := s.NextExpiry(); ok {
			t.Error("a session expires that has ended")
		}
	}
}

// TestPing: a ping puts off the end of the session, and changes nothing else.
func TestPing(t *testing.T) {
	s := newScene(t, Config{Tick: 1000})
	s.join(0, 4000, "A")
	before := string(s.Append(nil, s.now))
	s.now = 1000
	if string(s.Append(nil, s.now)) == before {
		t.Error("a deadline that has come nearer makes no difference")
	}
	s.ask("A", Request{Op: Ping})
	if string(s.Append(nil, s.now)) != before {
		t.Error("a state after a ping differs from the same a second ago")
	}
}

// TestReconnect: a session lives on without a connection, and a client is told
// at its next connect that it has ended.
func TestReconnect(t *testing.T) {
	s := newScene(t, Config{})
	s.play(`
		join 0 4000 A B
		A> create -e /e => /e
		A> getData /e watch => x v0
		disconnect A
		B> setData /e => v1
		now 5999
		rejoin A2 0 timeout=4000 => session 0x100000000000000 4s
		rejoin A3 0 timeout=8000 => A2 closed, session 0x100000000000000 8s
		disconnect A3
		now 13999
		pass => B closed
`)
	if s.Node("/e") == nil {
		t.Error("the node has gone before its session")
	}
	s.play(`
		now 14000
		rejoin A4 0 timeout=4000 => SessionExpired, A4 closed
`)
	if s.Node("/e") != nil {
		t.Error("the node has survived its session")
	}
}

// TestSomebodyElse: a session cannot be taken without its password, nor by a client
// that has seen more than the server. B begins no session here, so there is none of its letter.
func TestSomebodyElse(t *testing.T) {
	s := newScene(t, Config{})
	s.play(`
		join 0 4000 A
		A> create -e /e => /e
		rejoin A2 0 password=none => A closed, SessionExpired, A2 closed
		rejoin B 0 => SessionExpired, B closed
		rejoin A3 0 zxid=3 => A3 closed
`)
	s.play("rejoin A4 0 zxid=2 => session 0x100000000000000 4s")
	if s.Node("/e") == nil {
		t.Error("the node has gone")
	}
}

// TestPassword compares with what a real server gave.
func TestPassword(t *testing.T) {
	check(t, "password", fmt.Sprintf("%x", Password(0x1000022b5d40000)), "ceeb77a143ac67505c56adf0c4b5d62f")
}

// TestBadInput: what no client sends closes the connection or fails, and loses
// nothing.
func TestBadInput(t *testing.T) {
	good := AppendRequest(nil, requestOf("create /a"))
	for name, c := range map[string]struct {
		frame []byte
		want  string
	}{
		"nothing":       {nil, "A closed"},
		"half a header": {good[:7], "A closed"},
		"no path":       {good[:8], "MarshallingError"},
		"half a path":   {good[:13], "MarshallingError"},
		"no flags":      {good[:len(good)-1], "MarshallingError"},
		"long path":     {append(append([]byte{}, good[:8]...), 0x7f, 0xff, 0xff, 0xff), "MarshallingError"},
		"null path":     {append(append([]byte{}, good[:8]...), 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0), "MarshallingError"},
		"more":          {append(append([]byte{}, good...), 1, 2, 3), "/a"},
	} {
		s := newScene(t, Config{})
		s.join(0, 4000, "A")
		check(t, name, s.send("A", requestOf("create /a"), c.frame), c.want)
		if len(s.Sessions()) != 1 {
			t.Errorf("%s: the session has gone", name)
		}
	}
	s := newScene(t, Config{})
	check(t, "no connection", s.send("A", requestOf("create /a"), good), "")
	s.State = s.Accept("A", 0)
	check(t, "a connect that is none", s.send("A", Request{Op: Connect}, good[:20]), "A closed")
}
