package zookeeper

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
)

// someRequests has a request of each kind.
func someRequests() []Request {
	list := []Request{{Op: Create2, Path: "/ä", Data: []byte{}}}
	for _, o := range operations {
		for line := range strings.Lines(o.script) {
			if _, q, ok := strings.Cut(line, "> "); ok {
				q, _, _ = strings.Cut(q, " =>")
				list = append(list, requestOf(q))
			}
		}
	}
	return list
}

// FuzzParseRequest: no bytes end the program, and what has been read is written
// as it was read.
func FuzzParseRequest(f *testing.F) {
	f.Add(AppendRequest(nil, Request{Op: Connect, Timeout: 4000, Password: make([]byte, 16)}), true)
	f.Add(AppendRequest(nil, Request{Op: Connect, Old: true}), true)
	for _, q := range someRequests() {
		f.Add(AppendRequest(nil, q), false)
	}
	f.Fuzz(func(t *testing.T, frame []byte, first bool) {
		q, err := ParseRequest(frame, first)
		if len(q.Text()) == 0 {
			t.Error("a request has no words")
		}
		if err != nil || q.Malformed {
			return
		}
		again, err := ParseRequest(AppendRequest(nil, q), first)
		if err != nil || !reflect.DeepEqual(q, again) {
			t.Errorf("%+v\nbecomes, written and read,\n%+v (%v)", q, again, err)
		}
	})
}

// FuzzReplyText: no bytes end the program.
func FuzzReplyText(f *testing.F) {
	s := New(Config{}).Accept("A", 0)
	s, _ = s.Receive("A", AppendRequest(nil, Request{Op: Connect}), 0)
	for _, q := range someRequests() {
		next, done := s.Receive("A", AppendRequest(nil, q), 0)
		for _, o := range done.Outs {
			f.Add(AppendRequest(nil, q), o.Frame)
		}
		if _, ok := next.Connected("A"); ok {
			s = next
		}
	}
	f.Fuzz(func(t *testing.T, request, frame []byte) {
		for _, first := range []bool{false, true} {
			q, _ := ParseRequest(request, first)
			if ReplyText(&q, frame) == "" && q.Op != Multi {
				t.Error("a reply says nothing")
			}
		}
		if EventText(frame) == "" {
			t.Error("an event says nothing")
		}
	})
}

// FuzzCut: frames, put together with their lengths, are the stream again.
func FuzzCut(f *testing.F) {
	f.Add(AppendFrame(AppendFrame(nil, []byte("one")), nil))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff})
	f.Add([]byte{0, 0x10, 0, 0})
	f.Add([]byte{0, 0, 0})
	f.Fuzz(func(t *testing.T, stream []byte) {
		var again []byte
		rest := stream
		for {
			frame, after, ok, err := Cut(rest)
			if err != nil || !ok {
				if n := len(rest); err == nil && n > 4+MaxFrame {
					t.Errorf("%d bytes are no frame", n)
				}
				break
			}
			again, rest = AppendFrame(again, frame), after
		}
		if !bytes.Equal(append(again, rest...), stream) {
			t.Errorf("%x becomes %x and %x", stream, again, rest)
		}
	})
}

// FuzzReceive: no bytes end the program, change the State that they came to, or
// touch what another connection has.
func FuzzReceive(f *testing.F) {
	for _, q := range someRequests() {
		f.Add(AppendFrame(AppendFrame(nil, AppendRequest(nil, requestOf("create /a"))), AppendRequest(nil, q)))
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		s := New(Config{})
		for _, conn := range []string{"A", "B"} {
			s = s.Accept(conn, 0)
			s, _ = s.Receive(conn, AppendRequest(nil, Request{Op: Connect}), 0)
		}
		for {
			frame, rest, ok, err := Cut(stream)
			if err != nil || !ok {
				return
			}
			was := string(s.Append(nil, 0))
			next, done := s.Receive("A", frame, 1)
			if string(s.Append(nil, 0)) != was {
				t.Fatal("the State that it came to has changed")
			}
			if again, _ := s.Receive("A", frame, 1); string(again.Append(nil, 1)) != string(next.Append(nil, 1)) {
				t.Fatal("the same request has two results")
			}
			if _, ok := next.Connected("B"); !ok {
				t.Fatal("another connection has gone")
			}
			_, open := next.Connected("A")
			if open == closes(done) {
				t.Fatalf("the connection is open (%t), after %+v", open, done)
			}
			if s, stream = next, rest; !open {
				return
			}
		}
	})
}

func closes(done Done) bool {
	for _, o := range done.Outs {
		if o.Close {
			return true
		}
	}
	return false
}
