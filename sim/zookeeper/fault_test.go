package zookeeper

import "testing"

// TestFaults: what a server does that lags, and what a new leader brings.
func TestFaults(t *testing.T) {
	for _, test := range []struct{ name, script string }{
		// It serves old reads until it misses too much, or answers a sync or a write. Watches
		// fire when it learns of the change. The leader never lags.
		{"lag", `
		join 0 4000 A
		join 1 4000 B C
		A> create /a => /a
		lag 1 2 =>
		B> getData /a watch => x v0
		A> setData /a => v1
		B> getData /a => x v0
		A> setData /a => v2
		C> exists /a => v0
		A> setData /a => B! NodeDataChanged /a, v3
		C> exists /a => v1
		behind 1 => 2
		C> sync / => /
		C> exists /a => v3
		A> setData /a => v4
		C> exists /a => v3
		B> create /b => /b
		C> exists /a => v4
		C> exists /b => v0
		B> exists /c watch => NoNode
		A> create /c => /c
		lag 1 0 => B! NodeCreated /c
		lag 0 5 =>
		A> create /d => /d
		A> exists /d => v0
`},
		// It learns late of the end of a session, refuses who has seen more, and loses a
		// session that goes elsewhere.
		{"lag and sessions", `
		join 0 4000 A
		join 1 4000 B
		lag 1 5 =>
		B> exists /a watch => NoNode
		A> create /a => /a
		rejoin A2 1 zxid=3 => A2 closed
		expire B =>
		B> exists /a => NoNode
		B> sync / => B! NodeCreated /a, B closed
		rejoin A3 1 => session 0x100000000000000 4s
		A> exists /a => v0
		A> setData /a => A closed
		A3> setData /a => v1
		A3> closeSession => OK, A3 closed
`},
		{"an expired session writes", `
		join 0 4000 A
		join 1 4000 B
		lag 1 5 =>
		B> exists /a watch => NoNode
		A> create /a => /a
		expire B =>
		B> create /b => B! NodeCreated /a, B closed
`},
		// It drops all connections, keeps all nodes, begins an epoch, and gives every session its
		// whole timeout.
		{"elect", `
		join 0 4000 A
		join 1 4000 B
		A> create -e /e => /e
		lag 1 5 =>
		A> create /a => /a
		now 5000
		elect => A closed, B closed
		expiry => 10000
		behind 1 => 0
		now 9999
		rejoin A2 1 timeout=4000 zxid=4 => session 0x100000000000000 4s
		A2> getChildren / => [a e zookeeper]
		A2> create /b => /b
`},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newScene(t, Config{Servers: 2})
			s.play(test.script)
			if n := s.Node("/b"); test.name == "elect" && n.Czxid != 1<<32+1 {
				t.Errorf("the first of the epoch is %#x", n.Czxid)
			}
		})
	}
}

// TestShift: a state moved by a tick has the same future at the moved time.
func TestShift(t *testing.T) {
	s := newScene(t, Config{Tick: 1000, Servers: 2})
	s.join(1, 4000, "A")
	s.take(s.Lag(1, 5, 0))
	s.do("A> create -e /a")
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
