package zookeeper

import (
	"slices"
	"strconv"
)

// An EventType is what a watch reports.
type EventType int32

// The events, with the numbers of Watcher.Event.EventType.
const (
	NodeCreated         EventType = 1
	NodeDeleted         EventType = 2
	NodeDataChanged     EventType = 3
	NodeChildrenChanged EventType = 4
)

// String returns the name that ZooKeeper's documentation has for the event.
func (e EventType) String() string {
	switch e {
	case NodeCreated:
		return "NodeCreated"
	case NodeDeleted:
		return "NodeDeleted"
	case NodeDataChanged:
		return "NodeDataChanged"
	case NodeChildrenChanged:
		return "NodeChildrenChanged"
	}
	return "event " + strconv.Itoa(int(e))
}

// An event is a change of a node, or of its children, at which watches may
// fire.
type event struct {
	kind EventType
	path string
	acl  []ACL // of the node
}

// fire sends an event to the connections of a server that watch for it. A
// watch fires once; a deleted node fires both kinds, and is reported once. Who may
// not read the node is told nothing, and has lost the watch all the same
// (CVE-2024-23944).
func (t *turn) fire(i int, e event) {
	for j := range t.conns {
		c := &t.conns[j]
		if c.server != i {
			continue
		}
		var data, child bool
		if e.kind != NodeChildrenChanged {
			c.data, data = cutPath(c.data, e.path)
		}
		if e.kind == NodeChildrenChanged || e.kind == NodeDeleted {
			c.child, child = cutPath(c.child, e.path)
		}
		if (data || child) && may(e.acl, PermRead, c.who) {
			t.notify(c.name, e)
		}
	}
}

// notify writes an event.
func (t *turn) notify(name string, e event) {
	const xid, syncConnected = -1, 3
	var w writer
	w.header(xid, -1, OK)
	w.int(int32(e.kind))
	w.int(syncConnected)
	w.echo(e.path)
	t.done.Outs = append(t.done.Outs, Out{Conn: name, Frame: w.b, Event: true})
}

// addPath returns a sorted list with a path.
func addPath(list []string, path string) []string {
	i, found := slices.BinarySearch(list, path)
	if found {
		return list
	}
	return slices.Insert(slices.Clip(list), i, path)
}

// cutPath returns a sorted list without a path, and whether that was in it.
func cutPath(list []string, path string) ([]string, bool) {
	i, found := slices.BinarySearch(list, path)
	if !found {
		return list, false
	}
	return append(slices.Clone(list[:i]), list[i+1:]...), true
}

// setWatches sets again the watches of a client that has reconnected. What has
// happened since it was last connected is reported at once.
func (t *turn) setWatches(c *conn, q *Request) {
	nodes := t.servers[c.server].nodes
	const onAbsent, onChildren = 1, 2 // the lists of the request; the first is on data
	for list, paths := range q.Watches {
		watched := &c.data
		if list == onChildren {
			watched = &c.child
		}
		for _, path := range paths {
			switch n := nodes.find(path); {
			case n == nil && list != onAbsent:
				t.notify(c.name, event{kind: NodeDeleted, path: path})
			case n != nil && list == onAbsent:
				t.notify(c.name, event{kind: NodeCreated, path: path})
			case n != nil && list == onChildren && n.Pzxid > q.Zxid:
				t.notify(c.name, event{kind: NodeChildrenChanged, path: path})
			case n != nil && list != onChildren && n.Mzxid > q.Zxid:
				t.notify(c.name, event{kind: NodeDataChanged, path: path})
			default:
				*watched = addPath(*watched, path)
			}
		}
	}
}
