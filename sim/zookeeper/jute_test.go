package zookeeper

import (
	"bytes"
	"fmt"
	"testing"

	"lockstep/internal/testkit"
)

// TestCut: a frame is taken off a stream when all of it is there.
func TestCut(t *testing.T) {
	long := func(n int) []byte { return AppendFrame(nil, make([]byte, n)) }
	for _, c := range []struct {
		stream      []byte
		frame, rest int // lengths; frame is -1 for not yet, -2 for an error
	}{
		{nil, -1, 0}, {[]byte{0, 0, 0}, -1, 3}, {[]byte{0, 0, 0, 0}, 0, 0}, {[]byte{0, 0, 0, 2, 1}, -1, 5}, {[]byte{0, 0, 0, 2, 1, 2}, 2, 0},
		{[]byte{0, 0, 0, 2, 1, 2, 3}, 2, 1}, {[]byte{0xff, 0xff, 0xff, 0xff}, -2, 4}, {long(MaxFrame), MaxFrame, 0}, {long(MaxFrame + 1), -2, MaxFrame + 5},
	} {
		frame, rest, ok, err := Cut(c.stream)
		if len(rest) != c.rest || ok != (c.frame >= 0) || (err != nil) != (c.frame == -2) || ok && len(frame) != c.frame {
			t.Errorf("%d bytes: %d and %d, %t, %v", len(c.stream), len(frame), len(rest), ok, err)
		}
	}
}

// TestJute: what is written is read again, and what is not there or wrong is bad.
func TestJute(t *testing.T) {
	testkit.KeyOfAll(t, Stat{}, func(s Stat) string {
		var w writer
		w.stat(s)
		r := reader{b: w.b}
		if again := r.stat(); again != s || r.bad || len(w.b) != statLength {
			t.Errorf("%+v is read as %+v", s, again)
		}
		return string(w.b)
	}, map[string]string{})
	var w writer
	if w.echo("a中😀"); !bytes.Equal(w.b, []byte("\x00\x00\x00\x0aa\xe4\xb8\xad\xed\xa0\xbd\xed\xb8\x80")) { // CESU-8
		t.Errorf("% x", w.b)
	}
	null, short := []byte{0xff, 0xff, 0xff, 0xff}, []byte{0, 0, 0, 5, 'a'}
	for name, c := range map[string]struct {
		b    []byte
		read func(*reader) any
		want string
		bad  bool
	}{
		"a null buffer":   {null, func(r *reader) any { return r.buffer() == nil }, "true", false},
		"a short buffer":  {short, func(r *reader) any { return r.buffer() == nil }, "true", true},
		"no buffer":       {nil, func(r *reader) any { return r.buffer() == nil }, "true", true},
		"an empty buffer": {[]byte{0, 0, 0, 0}, func(r *reader) any { return r.buffer() == nil }, "false", false},
		"a null text":     {null, func(r *reader) any { return r.text() }, "", true},
		"a short text":    {short, func(r *reader) any { return r.text() }, "", true},
		"no UTF-8":        {[]byte{0, 0, 0, 2, 'a', 0xff}, func(r *reader) any { return r.text() }, "a\ufffd", false},
		"a null list":     {null, func(r *reader) any { return len(r.texts()) }, "0", true},
		"no list":         {nil, func(r *reader) any { return len(r.texts()) }, "0", true},
		"a null ACL":      {null, func(r *reader) any { return len(r.acls()) }, "0", false},
		"a negative one":  {[]byte{0xff, 0xff, 0xff, 0xfe}, func(r *reader) any { return r.buffer() == nil }, "true", true},
	} {
		r := reader{b: c.b}
		if got := fmt.Sprint(c.read(&r)); got != c.want || r.bad != c.bad {
			t.Errorf("%s: %q, bad %t", name, got, r.bad)
		}
	}
}

// TestParseReply: the header of any reply, and what follows that of a node or its children.
func TestParseReply(t *testing.T) {
	s := newScene(t, Config{})
	s.join(0, 4000, "A")
	reply := func(q Request) Reply {
		s.ask("A", q)
		frame := s.last.Outs[len(s.last.Outs)-1].Frame
		if q.Op != Ping && XidOf(frame) != q.Xid {
			t.Errorf("%v: xid %d", q.Text(), XidOf(frame))
		}
		if q.Op == Ping && XidOf(frame) != -2 { // the number that ZooKeeper has for pings
			t.Errorf("a ping: xid %d", XidOf(frame))
		}
		p, ok := ParseReply(q.Op, frame)
		if _, short := ParseReply(q.Op, frame[:len(frame)-1]); !ok || short && (q.Op == GetData || q.Op == GetChildren2) {
			t.Errorf("%v is a reply: %t, a part of it %t", q.Text(), ok, short)
		}
		return p
	}
	for _, c := range []struct{ request, want string }{
		{"create /a", "2 OK "}, {"create -e /a/b", "3 OK "}, {"getData /a", "3 OK x 2 3 1"}, {"getChildren2 /a", "3 OK [b] 2 3 1"},
		{"getData /none", "3 NoNode "}, {"ping", "3 OK "}, {"setData /a", "4 OK "}, {"getData /a", "4 OK y 2 3 1"}, {"delete /a/b", "5 OK "}, {"getData /a", "5 OK y 2 5 0"},
	} {
		q := requestOf(c.request)
		q.Xid = 7
		p := reply(q)
		text := fmt.Sprintf("%d %v ", p.Zxid, p.Code)
		if p.Stat.Czxid != 0 {
			if text += string(p.Data); q.Op == GetChildren2 {
				text += fmt.Sprint(p.Children)
			}
			text += fmt.Sprintf(" %d %d %d", p.Stat.Czxid, p.Stat.Pzxid, p.Stat.NumChildren)
		}
		check(t, c.request, text, c.want)
	}
	s.State = s.Accept("B", 0)
	s.ask("B", Request{Op: Connect, Timeout: 4000})
	session, password := ParseWelcome(s.last.Outs[0].Frame)
	if session != FirstSession+1 || !bytes.Equal(password, Password(session)) {
		t.Errorf("session %#x, %x", session, password)
	}
	s.State = s.Accept("C", 0)
	s.ask("C", Request{Op: Connect, Timeout: 4000, Old: true})
	if old := s.last.Outs[0].Frame; len(old) != 36 { // as ZooKeeper 3.3 has it
		t.Errorf("an old client gets %d bytes", len(old))
	}
}
