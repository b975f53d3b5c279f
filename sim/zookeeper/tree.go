package zookeeper

import (
	"slices"
	"strings"
)

// A Node is a znode. It does not change once it is in a tree.
type Node struct {
	Path     string
	Data     []byte // nil is null
	ACL      []ACL
	Czxid    int64 // the transaction that created it
	Mzxid    int64 // the last that set its data
	Pzxid    int64 // the last that changed its children
	Ctime    int64 // when it was created, in milliseconds since 1970
	Mtime    int64 // when its data was set
	Version  int32 // how often its data was set
	Aversion int32 // how often its ACL was set
	// Creations is how many children it has ever had: the number of the next
	// sequential one. Stat's Cversion is made of it.
	Creations int32
	Children  int32
	Owner     int64 // the session of an ephemeral node, 0 for any other
}

// A Stat is what ZooKeeper says of a node, in the order in which it does.
type Stat struct {
	Czxid, Mzxid, Ctime, Mtime  int64
	Version, Cversion, Aversion int32
	EphemeralOwner              int64
	DataLength, NumChildren     int32
	Pzxid                       int64
}

// Stat returns what clients are told of the node. Cversion counts its
// children's creations and deletions.
func (n *Node) Stat() Stat {
	return Stat{
		Czxid: n.Czxid, Mzxid: n.Mzxid, Ctime: n.Ctime, Mtime: n.Mtime,
		Version: n.Version, Cversion: 2*n.Creations - n.Children, Aversion: n.Aversion,
		EphemeralOwner: n.Owner, DataLength: int32(len(n.Data)), NumChildren: n.Children, Pzxid: n.Pzxid,
	}
}

// A tree holds nodes, sorted by path. What changes it copies it.
type tree []*Node

// newTree holds what is there from the beginning.
func newTree() tree {
	return tree{
		{Path: "/", Data: []byte{}, ACL: open, Children: 1},
		{Path: "/zookeeper", Data: []byte{}, ACL: open, Children: 2},
		{Path: "/zookeeper/config", Data: []byte{}, ACL: []ACL{{PermRead, anyone}}, Aversion: -1},
		{Path: "/zookeeper/quota", Data: []byte{}, ACL: open},
	}
}

func (t tree) search(path string) (int, bool) {
	return slices.BinarySearchFunc(t, path, func(n *Node, path string) int { return strings.Compare(n.Path, path) })
}

// find returns the node with a path, nil if there is none. The root's path is
// "/" or "".
func (t tree) find(path string) *Node {
	if i, found := t.search(watchable(path)); found {
		return t[i]
	}
	return nil
}

// with returns the tree with a node put in or replaced.
func (t tree) with(n *Node) tree {
	i, found := t.search(n.Path)
	if found {
		t = slices.Clone(t)
		t[i] = n
		return t
	}
	return slices.Insert(slices.Clip(t), i, n)
}

// without returns the tree without a node.
func (t tree) without(path string) tree {
	i, found := t.search(path)
	if !found {
		return t
	}
	return append(slices.Clone(t[:i]), t[i+1:]...)
}

// children returns the names of a node's children, sorted. (ZooKeeper sends
// them in the order of a hash table.)
func (t tree) children(n *Node) []string {
	prefix := n.Path + "/"
	if n.Path == "/" {
		prefix = "/"
	}
	names := make([]string, 0, n.Children)
	i, _ := t.search(prefix)
	for ; i < len(t) && strings.HasPrefix(t[i].Path, prefix); i++ {
		if name := t[i].Path[len(prefix):]; name != "" && !strings.Contains(name, "/") {
			names = append(names, name)
		}
	}
	return names
}

// ephemerals returns the paths of a session's ephemeral nodes, sorted.
func (t tree) ephemerals(session int64) (paths []string) {
	for _, n := range t {
		if n.Owner == session {
			paths = append(paths, n.Path)
		}
	}
	return paths
}
