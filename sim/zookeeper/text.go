package zookeeper

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"lockstep/sim/history"
)

// Text returns the request as words for people: create -e -s /lock/n-,
// getChildren /lock watch. A version of -1 and an empty list of what may be absent
// are left out.
func (q *Request) Text() []string {
	words := []string{q.Op.String()}
	if q.Malformed {
		return append(words, "(malformed)")
	}
	switch q.Op {
	case Connect:
		return append(words, q.connectText()...)
	case Auth:
		return append(words, shown(q.Scheme))
	case SetWatches:
		for i, kind := range []string{"data", "exist", "child"} {
			for _, path := range q.Watches[i] {
				words = append(words, kind, shown(path))
			}
		}
		return words
	case Multi:
		for i := range q.Ops {
			if i > 0 {
				words = append(words, "+")
			}
			words = append(words, q.Ops[i].Text()...)
		}
		return words
	}
	return append(words, q.nodeText()...)
}

// nodeText returns the words of a request for one node.
func (q *Request) nodeText() (words []string) {
	flag := func(set bool, word string) {
		if set {
			words = append(words, word)
		}
	}
	creates := q.Op == Create || q.Op == Create2
	flag(creates && q.Flags < 4 && q.Flags&Ephemeral != 0, "-e")
	flag(creates && q.Flags < 4 && q.Flags&Sequence != 0, "-s")
	switch {
	case q.Op == Ping || q.Op == CloseSession || !q.Op.known() && q.Op != Check:
		return nil
	}
	words = append(words, shown(q.Path))
	flag(len(q.Data) > 0, shown(string(q.Data)))
	versioned := q.Op == Delete || q.Op == SetData || q.Op == SetACL || q.Op == Check
	flag(versioned && q.Version != -1, "v"+strconv.Itoa(int(q.Version)))
	flag(q.Watch, "watch")
	return words
}

func (q *Request) connectText() []string {
	words := []string{history.Millis(q.Timeout).String()}
	if q.Session != 0 {
		words = append(words, sessionText(q.Session))
	}
	return words
}

func sessionText(id int64) string { return fmt.Sprintf("session %#x", uint64(id)) }

// ReplyText returns what a reply says to a request: the path of a new node, the
// data and version of a node, its children, the name of an error, or OK. What
// cannot be read is (malformed).
func ReplyText(q *Request, frame []byte) string {
	r := reader{b: frame}
	if q.Op == Connect {
		return r.welcomeText()
	}
	r.int()
	r.long()
	code := Code(r.int())
	text := code.String()
	if code == OK && !r.bad {
		text = r.replyText(q)
	}
	if r.bad {
		return "(malformed)"
	}
	return text
}

func (r *reader) welcomeText() string {
	r.int()
	timeout, id := history.Millis(r.int()), r.long()
	switch {
	case r.bad:
		return "(malformed)"
	case id == 0:
		return SessionExpired.String()
	}
	return sessionText(id) + " " + timeout.String()
}

// replyText reads what follows the header.
func (r *reader) replyText(q *Request) string {
	switch q.Op {
	case Create, Create2, Sync:
		return shown(r.text())
	case Exists, SetData:
		return versionText(r.stat())
	case GetData:
		data := r.buffer()
		return shown(string(data)) + " " + versionText(r.stat())
	case GetChildren, GetChildren2:
		names := r.texts()
		slices.Sort(names) // a server sends them in the order of a hash table
		for i, name := range names {
			names[i] = shown(name)
		}
		return "[" + strings.Join(names, " ") + "]"
	case GetACL:
		var words []string
		for _, a := range r.acls() {
			words = append(words, fmt.Sprintf("%s:%s:%d", shown(a.Scheme), shown(a.Name), a.Perms))
		}
		return "[" + strings.Join(words, " ") + "]"
	case SetACL:
		return "v" + strconv.Itoa(int(r.stat().Aversion))
	case Multi:
		return r.multiText()
	}
	return OK.String()
}

// multiText reads the reply to a multi.
func (r *reader) multiText() string {
	var words []string
	for !r.bad {
		op, done := r.multiHeader()
		if done {
			break
		}
		if op == opError {
			words = append(words, Code(r.int()).String())
			continue
		}
		words = append(words, r.replyText(&Request{Op: op}))
	}
	return strings.Join(words, " + ")
}

func versionText(s Stat) string { return "v" + strconv.Itoa(int(s.Version)) }

// EventText returns what an event says: NodeDeleted /lock/n-0000000003.
func EventText(frame []byte) string {
	r := reader{b: frame}
	r.take(16)
	kind := EventType(r.int())
	r.int()
	path := r.text()
	if r.bad {
		return "(malformed)"
	}
	return kind.String() + " " + shown(path)
}

// Short returns a path with a few digits of the random part that the client's
// library puts into a protected name, as in _c_{7c85}-n-0000000000.
func Short(path string) string {
	const prefix, digits = "_c_", 32
	before, rest, found := strings.Cut(path, prefix)
	if !found || len(rest) <= digits || rest[digits] != '-' || strings.Trim(rest[:digits], "0123456789abcdef") != "" {
		return path
	}
	return before + prefix + "{" + rest[:4] + "}" + rest[digits:]
}

// shown returns a word fit to be printed: quoted, if it is empty, has a space or a
// character that cannot be seen.
func shown(word string) string {
	word = Short(word)
	plain := func(r rune) bool { return r != '"' && r != '\uFFFD' && unicode.IsGraphic(r) && !unicode.IsSpace(r) }
	for _, r := range word {
		if !plain(r) {
			return strconv.Quote(word)
		}
	}
	if word == "" {
		return `""`
	}
	return word
}
