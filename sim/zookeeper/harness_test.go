package zookeeper

import (
	"strings"
	"testing"

	"lockstep/sim/history"
)

// A scene is a State that a test speaks to.
type scene struct {
	t *testing.T
	State
	now  history.Millis
	last Done
}

func newScene(t *testing.T, c Config) *scene { return &scene{t: t, State: New(c)} }

// told returns what a Done says to everybody: replies, events and closed connections.
func told(asker string, q *Request, done Done) string {
	var lines []string
	for _, o := range done.Outs {
		switch {
		case o.Close:
			lines = append(lines, o.Conn+" closed")
		case o.Event:
			lines = append(lines, o.Conn+"! "+EventText(o.Frame))
		case o.Conn == asker:
			lines = append(lines, ReplyText(q, o.Frame))
		default:
			lines = append(lines, o.Conn+" got a reply of another")
		}
	}
	return strings.Join(lines, ", ")
}

// ask sends a request, and checks that the State before it has not changed.
func (s *scene) ask(conn string, q Request) string {
	s.t.Helper()
	return s.send(conn, q, AppendRequest(nil, q))
}

func (s *scene) send(conn string, q Request, frame []byte) string {
	s.t.Helper()
	before := s.State
	was := string(before.Append(nil, 0))
	s.State, s.last = s.State.Receive(conn, frame, s.now)
	if string(before.Append(nil, 0)) != was {
		s.t.Fatalf("%v changes the state that it came to", q.Text())
	}
	return told(conn, &q, s.last)
}

// take takes what a method of State returns.
func (s *scene) take(next State, done Done) string {
	s.State, s.last = next, done
	return told("", nil, done)
}

// join opens connections to a server, each with a session.
func (s *scene) join(to int, timeout history.Millis, conns ...string) {
	s.t.Helper()
	for _, conn := range conns {
		s.State = s.Accept(conn, to)
		if text := s.ask(conn, Request{Op: Connect, Timeout: int32(timeout)}); !strings.HasPrefix(text, "session ") {
			s.t.Fatalf("%s is not welcome: %s", conn, text)
		}
	}
}

// rejoin opens a connection to the session of another one.
func (s *scene) rejoin(conn string, to int, id int64, q Request) string {
	s.t.Helper()
	s.State = s.Accept(conn, to)
	q.Op, q.Session = Connect, id
	if q.Password == nil {
		q.Password = Password(id)
	}
	return s.ask(conn, q)
}

// check fails unless two texts are equal.
func check(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s:\n got  %s\n want %s", what, got, want)
	}
}

// Shorthands for requests.

func create(path string, flags int32) Request {
	return Request{Op: Create, Path: path, Data: []byte("x"), ACL: open, Flags: flags}
}
func remove(path string) Request { return Request{Op: Delete, Path: path, Version: -1} }
func set(path string, version int32) Request {
	return Request{Op: SetData, Path: path, Data: []byte("y"), Version: version}
}
func read(op Op, path string) Request  { return Request{Op: op, Path: path} }
func watch(op Op, path string) Request { return Request{Op: op, Path: path, Watch: true} }
