package zookeeper

import (
	"testing"

	"lockstep/internal/testkit"
)

// listed are the differences from ZooKeeper, each with what shows it. The generator
// writes none of these. What else differs is in normal and bench.compare: the order
// of children, and of the events at the end of a session, which are those of hash
// tables in ZooKeeper and sorted here. Nor does a script set a quota.
var listed = []struct {
	name string
	last step
}{
	// Clients have no use for these in a lock. Most libraries send createContainer
	// only if they are told to; a container goes away by itself a minute later.
	{"create -c", step{q: Request{Op: 19}, raw: createContainer()}},
	{"whoAmI", step{q: Request{Op: 107}}},
	{"a container in a multi", step{q: Request{Op: Multi, Ops: []Request{{Op: Create, Path: "/a", ACL: open, Flags: 4}}}}},
	// A State knows no addresses.
	{"an ACL by address", step{q: Request{Op: Create, Path: "/a", ACL: []ACL{{PermAll, ID{"ip", "127.0.0.1"}}}}}},
	// Paths that no client can send by its library.
	{"sync of null", step{q: Request{Op: Sync}, raw: []byte{0, 0, 0, 0, 0, 0, 0, 9, 0xff, 0xff, 0xff, 0xff}}},
	{"half a character", step{q: Request{Op: Sync}, raw: append([]byte{0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 3}, "/\xe2\x82"...)}},
}

// TestListedDifferences fails if a listed difference has disappeared.
func TestListedDifferences(t *testing.T) {
	testkit.Long(t, "it starts a server for each; TestConformance shows that there are no others")
	for _, d := range listed {
		t.Run(d.name, func(t *testing.T) {
			script := []step{{kind: connects}, d.last}
			text := newBench(t).play(script)
			if text == "" {
				t.Error("it is listed, but there is no difference")
			}
			t.Log(text)
		})
	}
}

// createContainer is a request for a container.
func createContainer() []byte {
	frame := AppendRequest(nil, Request{Op: Create, Path: "/a", ACL: open, Flags: 4})
	frame[7] = 19
	return frame
}
