package zookeeper

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// A step is one line of a script. What depends on the run is chosen in it: see
// bench.resolve.
type step struct {
	kind   kind
	client int
	q      Request
	cut    int    // kind malformed: how many bytes of the request are missing
	raw    []byte // what is sent, if not the request itself
	// Of a connect: whose session it asks for, and what is wrong with it.
	whose int
	wrong string
}

type kind int

const (
	request kind = iota
	connects
	drops
	expires   // the session, while the client is away
	silent    // the session, while the client is connected
	malformed // a request without its end
	stream    // bytes with a length that is none
)

const clients = 3

func (s step) String() string {
	who := string(rune('A' + s.client))
	switch s.kind {
	case connects:
		return fmt.Sprintf("%s connects %s", who, s.wrong)
	case drops:
		return who + " drops its connection"
	case expires, silent:
		return who + "'s session expires" + map[bool]string{true: " while it is connected"}[s.kind == silent]
	case stream:
		return fmt.Sprintf("%s sends the length %d", who, s.q.Version)
	}
	extra := ""
	if s.kind == malformed {
		extra = fmt.Sprintf(" without the last %d bytes", s.cut)
	}
	if s.q.Flags > 3 || s.q.Flags < 0 {
		extra += fmt.Sprintf(" flags=%d", s.q.Flags)
	}
	if s.q.Op == SetWatches {
		extra += fmt.Sprintf(" (%d)", s.q.Zxid)
	}
	if len(s.q.ACL) != 1 || s.q.ACL[0] != open[0] {
		extra += fmt.Sprint(" ", s.q.ACL)
	}
	return who + "> " + strings.Join(s.q.Text(), " ") + extra
}

// A generator writes random scripts.
type generator struct{ *rand.Rand }

func newGenerator(source rand.Source) generator { return generator{rand.New(source)} }

// script returns a script of up to 30 steps after its clients have connected.
func (g generator) script() []step {
	var script []step
	for c := range clients {
		script = append(script, step{kind: connects, client: c, whose: c})
	}
	for _, path := range []string{"/a", "/b", "/a/c"} {
		if g.IntN(5) > 0 {
			script = append(script, step{client: g.IntN(clients), q: Request{Op: Create, Path: path, ACL: g.acl()}})
		}
	}
	for range 4 + g.IntN(27) {
		script = append(script, g.step())
	}
	return script
}

func (g generator) step() step {
	s := step{client: g.IntN(clients)}
	s.whose = s.client
	switch p := g.IntN(100); {
	case p < 6:
		s.kind = drops
	case p < 16:
		s.kind = connects
		if g.IntN(3) == 0 {
			s.wrong = []string{"password", "session", "zxid", "long", "short", "old"}[g.IntN(6)]
		}
		if s.wrong == "session" {
			s.whose = g.IntN(clients)
		}
	case p < 17 && g.IntN(4) == 0: // rarely: it takes the server's time
		s.kind = []kind{expires, silent}[g.IntN(2)]
	case p < 18:
		s.kind, s.q.Version = stream, []int32{-1, -1 << 31, MaxFrame + 1, 1<<31 - 1, 0, 7}[g.IntN(6)]
	case p < 20:
		s.kind, s.q, s.cut = malformed, g.request(), 1+g.IntN(12)
	default:
		s.q = g.request()
	}
	return s
}

// often says how often each request comes, of 100.
var often = []struct {
	op Op
	n  int
}{
	{Create, 30}, {Create2, 3}, {Delete, 11}, {SetData, 8}, {Exists, 8}, {GetData, 8}, {GetChildren, 4}, {GetChildren2, 6},
	{Sync, 2}, {Multi, 8}, {SetWatches, 4}, {0, 1}, {CloseSession, 1}, {Auth, 2}, {SetACL, 1}, {GetACL, 2}, {Ping, 1},
}

func (g generator) request() Request {
	q := Request{Xid: int32(g.IntN(1000)), Version: g.version(), ACL: g.acl()}
	p := g.IntN(100)
	for _, o := range often {
		if q.Op = o.op; p < o.n {
			break
		}
		p -= o.n
	}
	switch q.Op {
	case Multi:
		for range g.IntN(4) {
			q.Ops = append(q.Ops, g.part())
		}
	case SetWatches:
		q.Zxid = int64(-g.IntN(8))
		for i := range q.Watches {
			for range g.IntN(3) {
				q.Watches[i] = append(q.Watches[i], g.path())
			}
		}
	case 0: // unknown
		q.Op = Op([]int32{0, 10, 23, 99, 1000, -5}[g.IntN(6)])
	case Auth:
		q.Scheme, q.Data = []string{"digest", "digest", "digest", "nobody"}[g.IntN(4)], []byte("u:p")
	case CloseSession, Ping:
	default:
		return g.node(q)
	}
	return q
}

// part returns a part of a multi.
func (g generator) part() Request {
	q := Request{Op: []Op{Create, Create, Create2, Delete, SetData, Check}[g.IntN(6)], Version: g.version(), ACL: g.acl()}
	q = g.node(q)
	if q.Flags == 4 { // would be a container: see listed
		q.Flags = 0
	}
	return q
}

// node fills in what concerns a node.
func (g generator) node(q Request) Request {
	q.Path = g.path()
	q.Watch = g.IntN(2) == 0
	switch q.Op {
	case Create, Create2:
		q.Data = g.data()
		q.Flags = []int32{0, 0, 0, 1, 1, 2, 3, 3, 3, 3}[g.IntN(10)]
		if g.IntN(60) == 0 {
			q.Flags = []int32{4, 5, 6, 7, -1}[g.IntN(5)]
		}
	case SetData:
		q.Data = g.data()
	}
	return q
}

func (g generator) data() []byte {
	return [][]byte{nil, {}, []byte("x"), []byte("some data")}[g.IntN(4)]
}

func (g generator) version() int32 {
	return []int32{-1, -1, -1, -1, 0, 0, 1, 2, -2}[g.IntN(9)]
}

// badPaths are none, or look like it.
var badPaths = []string{"", "/", "a", "a/b", "/a/", "//", "/a//b", "/a/./b", "/a/../b", "/..", "/a/...", "/a/.b", "/ä/ö",
	"/a/\x00", "/a/\x01", "/a/\u0085", "/a/\ue000", "/a/\ufff0", "/a/😀", "/zookeeper", "/zookeeper/quota", "/zookeeper/config"}

// path returns one of a few paths. A # stands for a child of the node before
// it, if there is one, and * with a digit for any node; see bench.path.
func (g generator) path() string {
	if g.IntN(25) == 0 {
		return badPaths[g.IntN(len(badPaths))]
	}
	if g.IntN(2) == 0 {
		return fmt.Sprintf("*%d", g.IntN(10))
	}
	return []string{"/a", "/a", "/b", "/a/n-", "/a/n-", "/a/#", "/a/#", "/a/c", "/b/n-", "/b/#", "/a/c/d", "/a/c/#"}[g.IntN(12)]
}

// acl returns an access list, mostly the open one.
func (g generator) acl() []ACL {
	if g.IntN(20) > 0 {
		return open
	}
	known := digest([]byte("u:p"))
	return [][]ACL{
		nil,
		{{PermAll, ID{"auth", ""}}},
		{{PermRead | PermDelete | PermAdmin, known}, {PermRead | PermDelete | PermAdmin, known}},
		{{PermWrite | PermCreate | PermAdmin, known}, {PermRead, anyone}},
		{{PermRead, anyone}, {PermAdmin, known}},
		{{PermRead | PermAdmin, anyone}, {PermAll, known}},
		{{PermAll, ID{"digest", "u"}}},
		{{PermAll, ID{"nobody", "x"}}},
		{{PermAll, ID{"world", "x"}}},
	}[g.IntN(9)]
}
