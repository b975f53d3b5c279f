package zookeeper

import (
	"fmt"
	"testing"
)

// operations are scripts with two connections.
var operations = []struct{ name, script string }{
	{"create", `
		A> create /a => /a
		A> create /a => NodeExists
		A> create /b/c => NoNode
		A> create b => BadArguments
		A> create /b/ => NoNode
		A> create /a/ => BadArguments
		A> create /b flags=7 => BadArguments
		A> create /b flags=5 => Unimplemented
		A> create /b acl= => InvalidACL
		A> getData /a => x v0
`},
	{"ephemeral nodes have no children", `
		A> create -e /e => /e
		A> create /e/c => NoChildrenForEphemerals
`},
	{"numbers count creations, not deletions or failures", `
		A> create /a => /a
		A> create -s /a/n- => /a/n-0000000000
		A> create /a/m => /a/m
		A> delete /a/m => OK
		A> create /a/m flags=7 => BadArguments
		A> create -e -s /a/n- => /a/n-0000000002
		A> create -s /a/ => /a/0000000003
		A> multi create -s /a/n- + delete /none => OK + NoNode
		A> create -s /a/n- => /a/n-0000000004
		A> getChildren /a => [0000000003 n-0000000000 n-0000000002 n-0000000004]
`},
	{"delete", `
		A> create /a => /a
		A> create /a/b => /a/b
		A> delete /a => NotEmpty
		A> delete /a/b version=1 => BadVersion
		A> delete /a/b version=0 => OK
		A> delete /a/b => NoNode
		A> delete / => BadArguments
		A> delete /zookeeper/quota => BadArguments
`},
	{"setData", `
		A> create /a => /a
		A> setData /a version=0 => v1
		A> setData /a version=0 => BadVersion
		A> setData /a => v2
		A> setData /b => NoNode
		A> setData b => BadArguments
		A> getData /a => y v2
		A> exists /a => v2
		A> exists /b => NoNode
`},
	{"a watch for data fires once", `
		A> create /a => /a
		B> getData /a watch => x v0
		A> setData /a => B! NodeDataChanged /a, v1
		A> setData /a => v2
`},
	{"no watch that was not asked for", `
		A> create /a => /a
		B> getData /a => x v0
		B> exists /b => NoNode
		B> getChildren /a => []
		A> setData /a => v1
		A> create /b => /b
		A> create /a/c => /a/c
`},
	{"an event comes before the reply to its cause", `
		A> exists /a watch => NoNode
		A> create /a => A! NodeCreated /a, /a
`},
	{"no watch where there is no node, except by exists", `
		B> getData /a watch => NoNode
		B> getChildren2 /a watch => NoNode
		A> create /a => /a
`},
	{"a watch for children", `
		A> create /a => /a
		B> getChildren2 /a watch => []
		A> setData /a => v1
		A> create /a/b => B! NodeChildrenChanged /a, /a/b
		B> getChildren2 /a watch => [b]
		A> create /a/b/c => /a/b/c
		A> delete /a/b/c => OK
		A> delete /a/b => B! NodeChildrenChanged /a, OK
`},
	{"a deleted node is reported once", `
		A> create /a => /a
		B> getChildren /a watch => []
		B> getData /a watch => x v0
		A> delete /a => B! NodeDeleted /a, OK
		A> create /a => /a
`},
	{"multi does all or nothing", `
		A> create /a => /a
		B> getChildren /a watch => []
		A> multi create /a/b + setData /none + create /a/c => OK + NoNode + RuntimeInconsistency
		A> getChildren /a => []
		A> multi create /a/b + setData /a/b version=0 + check /a/b version=1 + delete /a/b => B! NodeChildrenChanged /a, /a/b + v1 + OK + OK
		A> multi =>
`},
	{"access lists", `
		A> create /a acl=31:auth: => InvalidACL
		A> auth digest u:p => OK
		A> create /a acl=31:auth: => /a
		A> getData /a watch => "" v0
		B> exists /a watch => v0
		B> getData /a => NoAuth
		B> create /a/b => NoAuth
		A> setData /a => A! NodeDataChanged /a, v1
		A> getACL /a => [digest:u:Jq7wMyA/w2Vd5WIDAKdu4OIIFEQ=:31]
		A> setACL /a version=0 => v1
		B> getData /a => y v1
		B> auth nobody => AuthFailed, B closed
`},
	{"one permission is not another", `
		A> create /r acl=1:world:anyone => /r
		A> getData /r => "" v0
		A> setData /r => NoAuth
		A> create /r/c => NoAuth
		A> setACL /r => NoAuth
		A> multi check /r version=0 => OK
		A> create /w acl=2:world:anyone => /w
		A> getData /w => NoAuth
		A> getChildren /w => NoAuth
		A> getACL /w => NoAuth
		A> setData /w => v1
`},
	{"who may be in a list", `
		A> create /a acl=31:world:nobody => InvalidACL
		A> create /a acl=31:digest:u => InvalidACL
		A> create /a acl=31:sasl:u:h => InvalidACL
		A> create /a acl=31:auth:,31:world:anyone => InvalidACL
		A> create /a acl=1:digest:u:h,5:world:anyone,5:world:anyone,2:world:anyone => /a
		A> getACL /a => [digest:u:x:1 world:anyone:5 world:anyone:2]
		A> setACL /a => NoAuth
		A> auth digest u:p => OK
		A> auth digest super:admin => OK
		A> auth digest u:p => OK
		A> create /b acl=31:auth: => /b
		A> getACL /b => [digest:u:Jq7wMyA/w2Vd5WIDAKdu4OIIFEQ=:31 digest:super:xQJmxLMiHGwaqBvst5y6rkB6HQs=:31]
		A> setACL /b acl=31:digest:u => InvalidACL
`},
	{"permission to create and to delete", `
		A> create /p => /p
		A> create /p/c => /p/c
		A> setACL /p acl=4:world:anyone => v1
		A> delete /p/c => NoAuth
		A> create /p/d => /p/d
		A> delete b => BadArguments
		A> create "/p/\x00" => BadArguments
		A> create /p/e flags=-1 => BadArguments
		A> exists "/p\x00" => BadArguments
`},
	{"the first part of a multi that fails counts, and nothing is left of the others", `
		A> multi setData /none + create b => NoNode + RuntimeInconsistency
		A> multi create /a + create b + setData /none => OK + BadArguments + RuntimeInconsistency
		A> multi create /a + create2 /b => /a + /b
		A> multi create /c + create /d flags=5 => MarshallingError
		A> exists /c => NoNode
		A> create2 /c => /c
		A> exists /c => v0
`},
	{"the end of a session deletes its nodes", `
		A> create -e /e => /e
		A> create -e /f => /f
		B> exists /e watch => v0
		B> getChildren / watch => [e f zookeeper]
		A> closeSession => B! NodeDeleted /e, B! NodeChildrenChanged /, OK, A closed
		B> getChildren / => [zookeeper]
`},
	{"sync, ping and unknown requests", `
		A> sync /a => /a
		A> ping => OK
		A> op=10 => Unimplemented, A closed
`},
	{"setWatches reports what was missed", `
		A> create /a => /a
		A> create /b => /b
		B> setWatches zxid=3 data=/a,/b,/c exist=/a,/d child=/a,/,/c => B! NodeDataChanged /b, B! NodeDeleted /c, B! NodeCreated /a, B! NodeChildrenChanged /, B! NodeDeleted /c, OK
		A> setData /a => B! NodeDataChanged /a, v1
		A> create /d => B! NodeCreated /d, /d
		A> create /a/c => B! NodeChildrenChanged /a, /a/c
`},
}

func TestOperations(t *testing.T) {
	for _, o := range operations {
		t.Run(o.name, func(t *testing.T) {
			s := newScene(t, Config{})
			s.join(0, 4000, "A", "B")
			s.play(o.script)
		})
	}
}

// TestChanges: what a request did, as judges see it.
func TestChanges(t *testing.T) {
	s := newScene(t, Config{Wall: 1000})
	s.join(0, 4000, "A")
	s.now = 5
	for _, test := range []struct{ request, want string }{
		{"create -e /e", "/e: [x v0 2 100000000000000 1000 1000]"},
		{"setData /e", "/e: [x v0 2 100000000000000 1000 1000] [y v1 2 100000000000000 1000 1000]"},
		{"setACL /e", "/e: [y v1 2 100000000000000 1000 1000] [y v1 2 100000000000000 1000 1000]"},
		{"delete /e", "/e: [y v1 2 100000000000000 1000 1000]"},
		{"create -e /f", "/f: [x v0 6 100000000000000 1000 1000]"},
		{"delete /none", ""},
	} {
		s.do("A> " + test.request)
		text := ""
		for _, c := range s.last.Changes {
			text += c.Path + ":"
			for _, n := range []*Node{c.Before, c.After} {
				if n != nil {
					text += fmt.Sprintf(" [%s v%d %d %x %d %d]", n.Data, n.Version, n.Czxid, n.Owner, n.Ctime, n.Mtime)
				}
			}
		}
		check(t, test.request, text, test.want)
	}
	s.now = 1 << 40
	s.take(s.Pass(s.now))
	if c := s.last.Changes; len(c) != 1 || c[0].After != nil || c[0].Path != "/f" || len(s.last.Ended) != 1 {
		t.Errorf("the session's end is reported as %+v", s.last)
	}
}
