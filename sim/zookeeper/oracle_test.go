package zookeeper

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"lockstep/internal/testkit"
)

// An oracle is a tree as one would write it down: a map, and the rules as they are
// told. Sessions are the names of connections.
type oracle struct {
	nodes map[string]*nodeTold
	zxid  int64
}

type nodeTold struct {
	data              string
	owner             string
	version           int32
	czxid, pzxid      int64
	creations, others int32 // of children; others are the deletions
}

func newOracle(zxid int64) *oracle {
	return &oracle{map[string]*nodeTold{"/": {}, "/zookeeper": {}, "/zookeeper/quota": {}, "/zookeeper/config": {}}, zxid}
}

func above(path string) string {
	if i := strings.LastIndex(path, "/"); i > 0 {
		return path[:i]
	}
	return "/"
}

func (o *oracle) children(path string) []string {
	var names []string
	for _, p := range slices.Sorted(maps.Keys(o.nodes)) {
		if p != "/" && above(p) == path {
			names = append(names, p[strings.LastIndex(p, "/")+1:])
		}
	}
	return names
}

// do returns what ReplyText says.
func (o *oracle) do(conn string, q Request) string {
	n := o.nodes[q.Path]
	switch q.Op {
	case Create:
		o.zxid++
		return o.create(conn, q)
	case Delete:
		o.zxid++
		switch {
		case n == nil:
			return "NoNode"
		case q.Version != -1 && q.Version != n.version:
			return "BadVersion"
		case len(o.children(q.Path)) > 0:
			return "NotEmpty"
		}
		o.delete(q.Path)
		return "OK"
	case SetData:
		o.zxid++
		switch {
		case n == nil:
			return "NoNode"
		case q.Version != -1 && q.Version != n.version:
			return "BadVersion"
		}
		n.data = string(q.Data)
		n.version++
		return fmt.Sprintf("v%d", n.version)
	case GetChildren:
		if n == nil {
			return "NoNode"
		}
		return fmt.Sprint(o.children(q.Path))
	}
	return "?"
}

func (o *oracle) create(conn string, q Request) string {
	p := o.nodes[above(q.Path)]
	if p == nil {
		return "NoNode"
	}
	path := q.Path
	if q.Flags&Sequence != 0 {
		path += fmt.Sprintf("%010d", p.creations)
	}
	if o.nodes[path] != nil {
		return "NodeExists"
	}
	if p.owner != "" {
		return "NoChildrenForEphemerals"
	}
	n := &nodeTold{data: string(q.Data), czxid: o.zxid, pzxid: o.zxid}
	if q.Flags&Ephemeral != 0 {
		n.owner = conn
	}
	p.creations++
	p.pzxid = o.zxid
	o.nodes[path] = n
	return path
}

func (o *oracle) delete(path string) {
	p := o.nodes[above(path)]
	p.others++
	p.pzxid = o.zxid
	delete(o.nodes, path)
}

// end ends a session.
func (o *oracle) end(conn string) {
	o.zxid++
	for path, n := range o.nodes {
		if n.owner == conn {
			o.delete(path)
		}
	}
}

// same returns the difference between the oracle and a State.
func (o *oracle) same(s *State, owner map[string]int64) string {
	if len(o.nodes) != len(s.Nodes()) || o.zxid != s.Zxid() {
		return fmt.Sprintf("%d nodes at %d, not %d at %d", len(s.Nodes()), s.Zxid(), len(o.nodes), o.zxid)
	}
	for path, n := range o.nodes {
		got := s.Node(path)
		if got == nil {
			return path + " is missing"
		}
		want := Stat{Version: n.version, Czxid: n.czxid, Pzxid: n.pzxid, DataLength: int32(len(n.data)), EphemeralOwner: owner[n.owner],
			NumChildren: int32(len(o.children(path))), Cversion: n.creations + n.others}
		if special(path) && strings.HasPrefix(path, "/zookeeper") || path == "/" {
			want.Cversion -= map[string]int32{"/": 1, "/zookeeper": 2}[path] // they were there from the beginning
		}
		is := got.Stat()
		is.Mzxid, is.Ctime, is.Mtime, is.Aversion = 0, 0, 0, 0
		if is != want || string(got.Data) != n.data {
			return fmt.Sprintf("%s is %q %+v, not %q %+v", path, got.Data, is, n.data, want)
		}
	}
	return ""
}

// TestTreeAgainstOracle plays random requests and ends of sessions.
func TestTreeAgainstOracle(t *testing.T) {
	for seed := range testkit.Size(t, 500, 100) {
		g := rand.New(rand.NewPCG(uint64(seed), 1))
		s := newScene(t, Config{})
		s.join(0, 4000, "A", "B", "C")
		o, owner := newOracle(s.Zxid()), map[string]int64{}
		for _, conn := range []string{"A", "B", "C"} {
			owner[conn], _ = s.Connected(conn)
		}
		live := []string{"A", "B", "C"}
		for range 60 {
			conn := live[g.IntN(len(live))]
			if len(live) > 1 && g.IntN(30) == 0 {
				s.take(s.Expire(owner[conn], 0))
				o.end(conn)
				live = slices.DeleteFunc(live, func(c string) bool { return c == conn })
				continue
			}
			path := []string{"/a", "/b", "/a/c", "/a/c/d", "/a/c/n-", "/b/n-", "/a-b", "/a/c/n-0000000001"}[g.IntN(8)]
			q := requestOf([]string{"create", "create" + []string{"", " -e", " -s", " -e -s"}[g.IntN(4)], "delete", fmt.Sprintf("setData version=%d", g.IntN(3)-1), "getChildren"}[g.IntN(5)] + " " + path)
			if got, want := s.ask(conn, q), o.do(conn, q); got != want {
				t.Fatalf("seed %d: %v: %s, not %s", seed, q.Text(), got, want)
			}
			if text := o.same(&s.State, owner); text != "" {
				t.Fatalf("seed %d, after %v: %s", seed, q.Text(), text)
			}
		}
	}
}
