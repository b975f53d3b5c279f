package zookeeper

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestValidPath: what the Programmer's Guide allows.
func TestValidPath(t *testing.T) {
	for path, want := range map[string]bool{
		"/": true, "/a": true, "/a/b-c_d": true, "/a/...": true, "/a/.b": true, "/a/b.": true, "/ä/中": true,
		"": false, "a": false, "/a/": false, "//": false, "/a//b": false, "/.": false, "/a/..": false, "/../a": false, "/a/./b": false,
		"/\x00": false, "/\x1f": false, "/\x7f": false, "/\u009f": false, "/\ue000": false, "/\uf8ff": false, "/\uffff": false, "/😀": false,
		"/\u00a0": true, "/\uf900": true, "/\uffef": true,
	} {
		if validPath(path) != want {
			t.Errorf("%q is a path: %t", path, !want)
		}
	}
}

// TestText: requests as people read them.
func TestText(t *testing.T) {
	for want, request := range map[string]string{
		"create -e -s /lock/n- x":       "create -e -s /lock/n-",
		"create2 -e /a":                 "create2 -e /a acl=",
		"create2 /a":                    "create2 /a acl=",
		"create -s /a":                  "create -s /a acl=",
		"create /t":                     "create /t flags=5 acl=",
		"delete /a":                     "delete /a",
		"delete /a v3":                  "delete /a version=3",
		"setData /a y v0":               "setData /a version=0",
		"getData /a":                    "getData /a",
		"getChildren2 /a watch":         "getChildren2 /a watch",
		"getACL /a":                     "getACL /a",
		"setACL /a v1":                  "setACL /a version=1",
		"sync /":                        "sync /",
		"ping":                          "ping",
		"closeSession":                  "closeSession",
		"op 10":                         "op=10",
		"auth digest":                   "auth digest u:p",
		"connect 4s":                    "connect timeout=4000",
		"setWatches data /a child /":    "setWatches data=/a child=/",
		"multi check /a v0 + delete /a": "multi check /a version=0 + delete /a",
	} {
		q := requestOf(request)
		check(t, "text", strings.Join(q.Text(), " "), want)
	}
	for want, q := range map[string]Request{
		`create "/a b" "\x01"`:    {Op: Create, Path: "/a b", Data: []byte{1}},
		"connect 4s session 0x1f": {Op: Connect, Timeout: 4000, Session: 31},
		"getData (malformed)":     {Op: GetData, Malformed: true},
	} {
		check(t, "text", strings.Join(q.Text(), " "), want)
	}
}

// TestRead: a request that has been read is the one that was written.
func TestRead(t *testing.T) {
	for _, q := range someRequests() {
		again, err := ParseRequest(AppendRequest(nil, q), false)
		if err != nil || again.Malformed {
			t.Errorf("%v: %v", q.Text(), err)
		}
		check(t, "read", strings.Join(again.Text(), " "), strings.Join(q.Text(), " "))
	}
}

// TestCodes: names of codes and of requests, and which requests only read.
func TestCodes(t *testing.T) {
	check(t, "codes", fmt.Sprint(OK, NoNode, Code(-7), Sync, Op(10)), "OK NoNode -7 sync op 10")
	for op := Op(-1001); op < 110; op++ {
		reads := slices.Contains([]Op{Exists, GetData, GetACL, GetChildren, GetChildren2, Sync, Ping, Auth, SetWatches}, op)
		if op.Reads() != reads {
			t.Errorf("%v only reads: %t", op, !reads)
		}
	}
}
