package zookeeper

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"lockstep/sim/history"
)

// TestAttend: sessions whose connections are heard from go on, each for its own timeout, and
// others do not.
func TestAttend(t *testing.T) {
	s := newScene(t, Config{})
	s.join(0, 4000, "A1", "B1")
	s.join(0, 9000, "A2", "C1")
	s.State = s.Disconnect("B1")
	of := func(client string) func(string) bool {
		return func(conn string) bool { return strings.HasPrefix(conn, client) }
	}
	nobody := func(string) bool { return false }
	heard, before := s.Hear(of("A"), 3000), string(s.Append(nil, 0))
	for _, c := range []struct {
		state State
		but   func(string) bool
		want  history.Millis
	}{
		{s.State, nobody, 6000}, {s.State, of("A"), 6000}, {heard, nobody, 6000}, {heard, of("A"), 6000}, {heard, of("A1"), 6000},
		{heard.Without(func(id int64) bool { return id == FirstSession+1 }), nobody, 8000},
		{heard.Without(func(id int64) bool { return id == FirstSession+1 }), of("A1"), 10000},
		{heard.Without(func(id int64) bool { return id == FirstSession+1 }), of("A"), 10000},
		{heard.Without(func(id int64) bool { return id == FirstSession+1 }), of(""), 0},
	} {
		if at, ok := c.state.NextExpiryBut(c.but); at != c.want || ok != (c.want > 0) {
			t.Errorf("the next session expires at %d, want %d", at, c.want)
		}
	}
	if string(s.Append(nil, 0)) != before {
		t.Error("hearing changes the state before it")
	}
	if got := fmt.Sprint(s.Connections()); got != "[A1 A2 C1]" {
		t.Error(got)
	}
}

// TestWithout: a session goes without a transaction only if it has neither a connection nor
// a node, and is one of those.
func TestWithout(t *testing.T) {
	s := newScene(t, Config{})
	s.join(0, 4000, "A", "B", "C", "D")
	s.do("B> create -e /e")
	for _, conn := range []string{"B", "C", "D"} {
		s.State = s.Disconnect(conn)
	}
	zxid := s.Zxid()
	got := s.Without(func(id int64) bool { return id != FirstSession+3 })
	if ids := got.Sessions(); !slices.Equal(ids, []int64{FirstSession, FirstSession + 1, FirstSession + 3}) || got.Zxid() != zxid || len(s.Sessions()) != 4 {
		t.Errorf("%x are left, after transaction %d", ids, got.Zxid())
	}
}

// TestFaultsInTime: sessions whose time has come end before anything else happens.
func TestFaultsInTime(t *testing.T) {
	for name, do := range map[string]func(*scene) (State, Done){
		"expire": func(s *scene) (State, Done) { return s.Expire(FirstSession+1, 6000) },
		"lag":    func(s *scene) (State, Done) { return s.Lag(1, 1, 6000) },
		"elect":  func(s *scene) (State, Done) { return s.Elect(6000) },
		"pass":   func(s *scene) (State, Done) { return s.Pass(6000) },
	} {
		s := newScene(t, Config{Servers: 2})
		s.join(0, 4000, "A")
		s.join(0, 20_000, "B")
		s.take(do(s))
		want := []int64{FirstSession}
		if name == "expire" {
			want = append(want, FirstSession+1)
		}
		if !slices.Equal(s.last.Ended, want) {
			t.Errorf("%s: %x end, want %x", name, s.last.Ended, want)
		}
	}
	s := newScene(t, Config{Servers: 2})
	s.join(0, 4000, "A")
	s.join(1, 4000, "B")
	zxid := s.Zxid()
	if s.take(s.Expire(FirstSession+2, 0)); s.Zxid() != zxid || len(s.last.Ended) > 0 {
		t.Errorf("the end of no session is transaction %d, %x", s.Zxid(), s.last.Ended)
	}
	for server, n := range map[int]int{-1: 1, 2: 1, 0: 1, 1: -5} {
		s.take(s.Lag(server, n, 0))
		s.do("A> create -s /n-")
		s.do("B> create -s /n-")
		if s.Behind(0)+s.Behind(1) > 0 {
			t.Errorf("server %d lags", server)
		}
	}
	s.take(s.Elect(0))
	if s.take(s.Elect(0)); s.Zxid() != 2<<32 {
		t.Errorf("the second leader begins with %#x", s.Zxid())
	}
}
