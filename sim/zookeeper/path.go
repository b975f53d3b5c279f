package zookeeper

import "strings"

// validPath says whether a node can have the path, by the rules of "The ZooKeeper
// Data Model" in the Programmer's Guide: it begins with a slash and does not end in
// one, no name in it is empty, "." or "..", and no character is a control character
// or one of those that cannot be displayed. A character outside of the Basic
// Multilingual Plane cannot be in a path: the server looks at UTF-16.
func validPath(path string) bool {
	if path == "/" {
		return true
	}
	if !strings.HasPrefix(path, "/") {
		return false
	}
	for name := range strings.SplitSeq(path[1:], "/") {
		if name == "" || name == "." || name == ".." {
			return false
		}
	}
	return !strings.ContainsFunc(path, forbidden)
}

func forbidden(r rune) bool {
	return r <= 0x1f || 0x7f <= r && r <= 0x9f || 0xd800 <= r && r <= 0xf8ff || r >= 0xfff0
}

// parent returns the path up to the last slash, "" for the root's children. ok
// is false for what has no parent: it has no slash, or a null character.
func parent(path string) (string, bool) {
	slash := strings.LastIndexByte(path, '/')
	if slash < 0 || strings.IndexByte(path, 0) >= 0 {
		return "", false
	}
	return path[:slash], true
}

// special says whether the path is one of the nodes that are always there and
// cannot be deleted.
func special(path string) bool {
	switch path {
	case "/", "/zookeeper", "/zookeeper/quota", "/zookeeper/config":
		return true
	}
	return false
}

// watchable returns the path at which a change of a node's children is
// reported: the root has two names, and watches know one.
func watchable(path string) string {
	if path == "" {
		return "/"
	}
	return path
}
