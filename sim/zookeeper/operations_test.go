package zookeeper

import (
	"fmt"
	"strings"
	"testing"
)

// A said is a request of a connection and what everybody is told.
type said struct {
	conn string
	q    Request
	want string
}

var operations = []struct {
	name string
	said []said
}{
	{"create", []said{
		{"A", create("/a", 0), "/a"},
		{"A", create("/a", 0), "NodeExists"},
		{"A", create("/b/c", 0), "NoNode"},
		{"A", create("b", 0), "BadArguments"},
		{"A", create("/b/", 0), "NoNode"},
		{"A", create("/a/", 0), "BadArguments"},
		{"A", create("/b", 7), "BadArguments"},
		{"A", create("/b", 5), "Unimplemented"},
		{"A", Request{Op: Create, Path: "/b"}, "InvalidACL"},
		{"A", read(GetData, "/a"), "x v0"},
	}},
	{"ephemeral nodes have no children", []said{
		{"A", create("/e", Ephemeral), "/e"},
		{"A", create("/e/c", 0), "NoChildrenForEphemerals"},
	}},
	{"numbers count creations, not deletions or failures", []said{
		{"A", create("/a", 0), "/a"},
		{"A", create("/a/n-", Sequence), "/a/n-0000000000"},
		{"A", create("/a/m", 0), "/a/m"},
		{"A", remove("/a/m"), "OK"},
		{"A", create("/a/m", 7), "BadArguments"},
		{"A", create("/a/n-", Sequence|Ephemeral), "/a/n-0000000002"},
		{"A", create("/a/", Sequence), "/a/0000000003"},
		{"A", Request{Op: Multi, Ops: []Request{create("/a/n-", Sequence), remove("/none")}}, "OK + NoNode"},
		{"A", create("/a/n-", Sequence), "/a/n-0000000004"},
		{"A", read(GetChildren, "/a"), "[0000000003 n-0000000000 n-0000000002 n-0000000004]"},
	}},
	{"delete", []said{
		{"A", create("/a", 0), "/a"},
		{"A", create("/a/b", 0), "/a/b"},
		{"A", remove("/a"), "NotEmpty"},
		{"A", Request{Op: Delete, Path: "/a/b", Version: 1}, "BadVersion"},
		{"A", Request{Op: Delete, Path: "/a/b", Version: 0}, "OK"},
		{"A", remove("/a/b"), "NoNode"},
		{"A", remove("/"), "BadArguments"},
		{"A", remove("/zookeeper/quota"), "BadArguments"},
	}},
	{"setData", []said{
		{"A", create("/a", 0), "/a"},
		{"A", set("/a", 0), "v1"},
		{"A", set("/a", 0), "BadVersion"},
		{"A", set("/a", -1), "v2"},
		{"A", set("/b", -1), "NoNode"},
		{"A", set("b", -1), "BadArguments"},
		{"A", read(GetData, "/a"), "y v2"},
		{"A", read(Exists, "/a"), "v2"},
		{"A", read(Exists, "/b"), "NoNode"},
	}},
	{"a watch for data fires once", []said{
		{"A", create("/a", 0), "/a"},
		{"B", watch(GetData, "/a"), "x v0"},
		{"A", set("/a", -1), "B! NodeDataChanged /a, v1"},
		{"A", set("/a", -1), "v2"},
	}},
	{"no watch that was not asked for", []said{
		{"A", create("/a", 0), "/a"},
		{"B", read(GetData, "/a"), "x v0"},
		{"B", read(Exists, "/b"), "NoNode"},
		{"B", read(GetChildren, "/a"), "[]"},
		{"A", set("/a", -1), "v1"},
		{"A", create("/b", 0), "/b"},
		{"A", create("/a/c", 0), "/a/c"},
	}},
	{"an event comes before the reply to its cause", []said{
		{"A", watch(Exists, "/a"), "NoNode"},
		{"A", create("/a", 0), "A! NodeCreated /a, /a"},
	}},
	{"no watch where there is no node, except by exists", []said{
		{"B", watch(GetData, "/a"), "NoNode"},
		{"B", watch(GetChildren2, "/a"), "NoNode"},
		{"A", create("/a", 0), "/a"},
	}},
	{"a watch for children", []said{
		{"A", create("/a", 0), "/a"},
		{"B", watch(GetChildren2, "/a"), "[]"},
		{"A", set("/a", -1), "v1"},
		{"A", create("/a/b", 0), "B! NodeChildrenChanged /a, /a/b"},
		{"B", watch(GetChildren2, "/a"), "[b]"},
		{"A", create("/a/b/c", 0), "/a/b/c"},
		{"A", remove("/a/b/c"), "OK"},
		{"A", remove("/a/b"), "B! NodeChildrenChanged /a, OK"},
	}},
	{"a deleted node is reported once", []said{
		{"A", create("/a", 0), "/a"},
		{"B", watch(GetChildren, "/a"), "[]"},
		{"B", watch(GetData, "/a"), "x v0"},
		{"A", remove("/a"), "B! NodeDeleted /a, OK"},
		{"A", create("/a", 0), "/a"},
	}},
	{"multi does all or nothing", []said{
		{"A", create("/a", 0), "/a"},
		{"B", watch(GetChildren, "/a"), "[]"},
		{"A", Request{Op: Multi, Ops: []Request{create("/a/b", 0), set("/none", -1), create("/a/c", 0)}}, "OK + NoNode + RuntimeInconsistency"},
		{"A", read(GetChildren, "/a"), "[]"},
		{"A", Request{Op: Multi, Ops: []Request{create("/a/b", 0), set("/a/b", 0), {Op: Check, Path: "/a/b", Version: 1}, remove("/a/b")}},
			"B! NodeChildrenChanged /a, /a/b + v1 + OK + OK"},
		{"A", Request{Op: Multi}, ""},
	}},
	{"access lists", []said{
		{"A", Request{Op: Create, Path: "/a", ACL: []ACL{{PermAll, ID{"auth", ""}}}}, "InvalidACL"},
		{"A", Request{Op: Auth, Scheme: "digest", Data: []byte("u:p")}, "OK"},
		{"A", Request{Op: Create, Path: "/a", ACL: []ACL{{PermAll, ID{"auth", ""}}}}, "/a"},
		{"A", watch(GetData, "/a"), `"" v0`},
		{"B", watch(Exists, "/a"), "v0"},
		{"B", read(GetData, "/a"), "NoAuth"},
		{"B", create("/a/b", 0), "NoAuth"},
		{"A", set("/a", -1), "A! NodeDataChanged /a, v1"},
		{"A", read(GetACL, "/a"), "[digest:u:Jq7wMyA/w2Vd5WIDAKdu4OIIFEQ=:31]"},
		{"A", Request{Op: SetACL, Path: "/a", ACL: open, Version: 0}, "v1"},
		{"B", read(GetData, "/a"), "y v1"},
		{"B", Request{Op: Auth, Scheme: "nobody"}, "AuthFailed, B closed"},
	}},
	{"one permission is not another", []said{
		{"A", Request{Op: Create, Path: "/r", ACL: []ACL{{PermRead, anyone}}}, "/r"},
		{"A", read(GetData, "/r"), `"" v0`},
		{"A", set("/r", -1), "NoAuth"},
		{"A", create("/r/c", 0), "NoAuth"},
		{"A", Request{Op: SetACL, Path: "/r", ACL: open, Version: -1}, "NoAuth"},
		{"A", Request{Op: Multi, Ops: []Request{{Op: Check, Path: "/r", Version: 0}}}, "OK"},
		{"A", Request{Op: Create, Path: "/w", ACL: []ACL{{PermWrite, anyone}}}, "/w"},
		{"A", read(GetData, "/w"), "NoAuth"},
		{"A", read(GetChildren, "/w"), "NoAuth"},
		{"A", read(GetACL, "/w"), "NoAuth"},
		{"A", set("/w", -1), "v1"},
	}},
	{"who may be in a list", []said{
		{"A", Request{Op: Create, Path: "/a", ACL: []ACL{{PermAll, ID{"world", "nobody"}}}}, "InvalidACL"},
		{"A", Request{Op: Create, Path: "/a", ACL: []ACL{{PermAll, ID{"digest", "u"}}}}, "InvalidACL"},
		{"A", Request{Op: Create, Path: "/a", ACL: []ACL{{PermAll, ID{"sasl", "u:h"}}}}, "InvalidACL"},
		{"A", Request{Op: Create, Path: "/a", ACL: []ACL{{PermAll, ID{"auth", ""}}, {PermAll, anyone}}}, "InvalidACL"},
		{"A", Request{Op: Create, Path: "/a", ACL: []ACL{{PermRead, ID{"digest", "u:h"}}, {PermRead | PermCreate, anyone}, {PermRead | PermCreate, anyone}, {PermWrite, anyone}}}, "/a"},
		{"A", read(GetACL, "/a"), "[digest:u:x:1 world:anyone:5 world:anyone:2]"},
		{"A", Request{Op: SetACL, Path: "/a", ACL: open, Version: -1}, "NoAuth"},
		{"A", Request{Op: Auth, Scheme: "digest", Data: []byte("u:p")}, "OK"},
		{"A", Request{Op: Auth, Scheme: "digest", Data: []byte("super:admin")}, "OK"},
		{"A", Request{Op: Auth, Scheme: "digest", Data: []byte("u:p")}, "OK"},
		{"A", Request{Op: Create, Path: "/b", ACL: []ACL{{PermAll, ID{"auth", ""}}}}, "/b"},
		{"A", read(GetACL, "/b"), "[digest:u:Jq7wMyA/w2Vd5WIDAKdu4OIIFEQ=:31 digest:super:xQJmxLMiHGwaqBvst5y6rkB6HQs=:31]"},
		{"A", Request{Op: SetACL, Path: "/b", ACL: []ACL{{PermAll, ID{"digest", "u"}}}, Version: -1}, "InvalidACL"},
	}},
	{"permission to create and to delete", []said{
		{"A", create("/p", 0), "/p"},
		{"A", create("/p/c", 0), "/p/c"},
		{"A", Request{Op: SetACL, Path: "/p", ACL: []ACL{{PermCreate, anyone}}, Version: -1}, "v1"},
		{"A", remove("/p/c"), "NoAuth"},
		{"A", create("/p/d", 0), "/p/d"},
		{"A", remove("b"), "BadArguments"},
		{"A", create("/p/\x00", 0), "BadArguments"},
		{"A", create("/p/e", -1), "BadArguments"},
		{"A", read(Exists, "/p\x00"), "BadArguments"},
	}},
	{"the first part of a multi that fails counts, and nothing is left of the others", []said{
		{"A", Request{Op: Multi, Ops: []Request{set("/none", -1), create("b", 0)}}, "NoNode + RuntimeInconsistency"},
		{"A", Request{Op: Multi, Ops: []Request{create("/a", 0), create("b", 0), set("/none", -1)}}, "OK + BadArguments + RuntimeInconsistency"},
		{"A", Request{Op: Multi, Ops: []Request{create("/a", 0), {Op: Create2, Path: "/b", ACL: open}}}, "/a + /b"},
		{"A", Request{Op: Multi, Ops: []Request{create("/c", 0), create("/d", 5)}}, "MarshallingError"},
		{"A", read(Exists, "/c"), "NoNode"},
		{"A", Request{Op: Create2, Path: "/c", ACL: open}, "/c"},
		{"A", read(Exists, "/c"), "v0"},
	}},
	{"the end of a session deletes its nodes", []said{
		{"A", create("/e", Ephemeral), "/e"},
		{"A", create("/f", Ephemeral), "/f"},
		{"B", watch(Exists, "/e"), "v0"},
		{"B", watch(GetChildren, "/"), "[e f zookeeper]"},
		{"A", Request{Op: CloseSession}, "B! NodeDeleted /e, B! NodeChildrenChanged /, OK, A closed"},
		{"B", read(GetChildren, "/"), "[zookeeper]"},
	}},
	{"sync, ping and unknown requests", []said{
		{"A", read(Sync, "/a"), "/a"},
		{"A", Request{Op: Ping}, "OK"},
		{"A", Request{Op: 10}, "Unimplemented, A closed"},
	}},
	{"setWatches reports what was missed", []said{
		{"A", create("/a", 0), "/a"},
		{"A", create("/b", 0), "/b"},
		{"B", Request{Op: SetWatches, Zxid: 3, Watches: [3][]string{{"/a", "/b", "/c"}, {"/a", "/d"}, {"/a", "/", "/c"}}},
			"B! NodeDataChanged /b, B! NodeDeleted /c, B! NodeCreated /a, B! NodeChildrenChanged /, B! NodeDeleted /c, OK"},
		{"A", set("/a", -1), "B! NodeDataChanged /a, v1"},
		{"A", create("/d", 0), "B! NodeCreated /d, /d"},
		{"A", create("/a/c", 0), "B! NodeChildrenChanged /a, /a/c"},
	}},
}

func TestOperations(t *testing.T) {
	for _, o := range operations {
		t.Run(o.name, func(t *testing.T) {
			s := newScene(t, Config{})
			s.join(0, 4000, "A", "B")
			for i, said := range o.said {
				said.q.Xid = int32(i)
				check(t, said.conn+"> "+strings.Join(said.q.Text(), " "), s.ask(said.conn, said.q), said.want)
			}
		})
	}
}

// TestChanges: what a request did, as judges see it.
func TestChanges(t *testing.T) {
	s := newScene(t, Config{Wall: 1000})
	s.join(0, 4000, "A")
	s.now = 5
	for _, q := range []Request{create("/e", Ephemeral), set("/e", -1), {Op: SetACL, Path: "/e", ACL: open, Version: -1}, remove("/e"), create("/f", Ephemeral), remove("/none")} {
		s.ask("A", q)
		text := ""
		for _, c := range s.last.Changes {
			text += fmt.Sprintf("%s %s %x %d:", c.Reason, c.Path, c.Session, c.Zxid)
			for _, n := range []*Node{c.Before, c.After} {
				if n != nil {
					text += fmt.Sprintf(" [%s v%d %d %x %d %d]", n.Data, n.Version, n.Czxid, n.Owner, n.Ctime, n.Mtime)
				}
			}
		}
		want := map[string]string{
			"create -e /e x": "create /e 100000000000000 2: [x v0 2 100000000000000 1005 1005]",
			"setData /e y":   "set /e 100000000000000 3: [x v0 2 100000000000000 1005 1005] [y v1 2 100000000000000 1005 1005]",
			"setACL /e":      "acl /e 100000000000000 4: [y v1 2 100000000000000 1005 1005] [y v1 2 100000000000000 1005 1005]",
			"delete /e":      "delete /e 100000000000000 5: [y v1 2 100000000000000 1005 1005]",
			"create -e /f x": "create /f 100000000000000 6: [x v0 6 100000000000000 1005 1005]",
			"delete /none":   "",
		}[strings.Join(q.Text(), " ")]
		check(t, strings.Join(q.Text(), " "), text, want)
	}
	s.now = 1 << 40
	s.take(s.Pass(s.now))
	if c := s.last.Changes; len(c) != 1 || c[0].Reason != Expired || c[0].Path != "/f" || len(s.last.Ended) != 1 {
		t.Errorf("the session's end is reported as %+v", s.last)
	}
}
