package zookeeper

import (
	"fmt"
	"slices"
	"strconv"
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

// check fails unless two texts are equal.
func check(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s:\n got  %s\n want %s", what, got, want)
	}
}

// play does what a script says, a line at a time, and checks what everybody is told: the
// text behind =>.
func (s *scene) play(script string) {
	s.t.Helper()
	for line := range strings.Lines(strings.TrimSpace(script)) {
		what, want, _ := strings.Cut(strings.TrimSpace(line), " =>")
		check(s.t, what, s.do(what), strings.TrimSpace(want))
	}
}

// do does what a line says: "A> create /a" is a request of the connection A. The session of a
// connection, also of A2 and A3, is that of its letter.
func (s *scene) do(line string) string {
	s.t.Helper()
	if conn, q, ok := strings.Cut(line, "> "); ok {
		return s.ask(conn, requestOf(q))
	}
	w := strings.Fields(line)
	number := func(i int) int { n, _ := strconv.Atoi(w[i]); return n }
	switch w[0] {
	case "join":
		s.join(number(1), history.Millis(number(2)), w[3:]...)
	case "rejoin":
		q := requestOf("connect " + strings.Join(w[3:], " "))
		q.Op, q.Session = Connect, sessionOf(w[1])
		if q.Password == nil {
			q.Password = Password(q.Session)
		}
		s.State = s.Accept(w[1], number(2))
		return s.ask(w[1], q)
	case "disconnect":
		s.State = s.Disconnect(w[1])
	case "now":
		s.now = history.Millis(number(1))
	case "pass":
		return s.take(s.Pass(s.now))
	case "lag":
		return s.take(s.Lag(number(1), number(2), s.now))
	case "elect":
		return s.take(s.Elect(s.now))
	case "expire":
		return s.take(s.Expire(sessionOf(w[1]), s.now))
	case "expiry":
		at, _ := s.NextExpiry()
		return fmt.Sprint(int64(at))
	case "behind":
		return fmt.Sprint(s.Behind(number(1)))
	default:
		s.t.Fatalf("nobody knows how to %s", line)
	}
	return ""
}

func sessionOf(conn string) int64 { return FirstSession + int64(conn[0]-'A') }

// requestOf reads a request: its name, its path, and what else it has. The data of create is x,
// and null with an access list, that of setData y; without a version any will do.
func requestOf(text string) (q Request) {
	name, rest, _ := strings.Cut(text, " ")
	if number, unknown := strings.CutPrefix(name, "op="); unknown {
		n, _ := strconv.Atoi(number)
		q.Op = Op(n)
	}
	for op, its := range opNames {
		if its == name {
			q.Op = op
		}
	}
	switch q.Op {
	case Create, Create2:
		q.Data, q.ACL = []byte("x"), open
	case SetData:
		q.Data, q.Version = []byte("y"), -1
	case Delete:
		q.Version = -1
	case SetACL:
		q.ACL, q.Version = open, -1
	case Multi:
		for part := range strings.SplitSeq(rest, " + ") {
			if part != "" {
				q.Ops = append(q.Ops, requestOf(part))
			}
		}
		return q
	}
	for word := range strings.FieldsSeq(rest) {
		key, value, set := strings.Cut(word, "=")
		n, _ := strconv.ParseInt(value, 0, 64)
		switch {
		case key == "-e":
			q.Flags |= Ephemeral
		case key == "-s":
			q.Flags |= Sequence
		case key == "watch":
			q.Watch = true
		case !set && q.Op == Auth && q.Scheme == "":
			q.Scheme = word
		case !set && q.Op == Auth:
			q.Data = []byte(word)
		case !set:
			q.Path = word
			if unquoted, err := strconv.Unquote(word); err == nil {
				q.Path = unquoted
			}
		case key == "flags":
			q.Flags = int32(n)
		case key == "version":
			q.Version = int32(n)
		case key == "timeout":
			q.Timeout = int32(n)
		case key == "zxid":
			q.Zxid = n
		case key == "password":
			q.Password = make([]byte, 16)
		case key == "acl":
			q.ACL, q.Data = nil, nil
			for entry := range strings.SplitSeq(value, ",") {
				if perms, who, ok := strings.Cut(entry, ":"); ok {
					scheme, id, _ := strings.Cut(who, ":")
					n, _ := strconv.Atoi(perms)
					q.ACL = append(q.ACL, ACL{int32(n), ID{scheme, id}})
				}
			}
		default: // of setWatches
			q.Watches[slices.Index([]string{"data", "exist", "child"}, key)] = strings.Split(value, ",")
		}
	}
	return q
}
