package zookeeper

import (
	"fmt"
	"strings"
	"testing"
)

// TestNumbering: all replies of one ensemble, with their numbers doubled, have
// doubled numbers and nothing else is different.
func TestNumbering(t *testing.T) {
	twice := Numbering{
		Zxid:    func(n int64) int64 { return 2 * n },
		Session: func(n int64) int64 { return 2 * n },
		Timeout: func(n int32) int32 { return 2 * n },
	}
	s := New(Config{})
	s = s.Accept("A", 0)
	ask := func(q Request) []byte {
		var d Done
		s, d = s.Receive("A", AppendRequest(nil, q), 0)
		return d.Outs[len(d.Outs)-1].Frame
	}
	welcome := Request{Op: Connect, Timeout: 5000}
	if got := ReplyText(&welcome, twice.Reply(&welcome, ask(welcome))); got != "session 0x200000000000000 10s" {
		t.Errorf("connect: %s", got)
	}
	for _, request := range []string{
		"create -e /a", "getData /a", "exists /a", "getChildren2 /", "getChildren /", "setData /a", "delete /b version=0", "getACL /a", "sync /a",
		"multi setData /a + check /a version=-1 + delete /a", "multi delete /a",
	} {
		q := requestOf(request)
		frame := ask(q)
		other := twice.Reply(&q, frame)
		if a, b := ReplyText(&q, frame), ReplyText(&q, other); a != b {
			t.Errorf("%v: %s, renumbered %s", q.Op, a, b)
		}
		a, b := numbersOf(&q, frame), numbersOf(&q, other)
		if len(a) == 0 || len(a) != len(b) {
			t.Fatalf("%v: numbers %d, renumbered %d", q.Op, a, b)
		}
		for i := range a {
			if b[i] != 2*a[i] {
				t.Errorf("%v: numbers %d, renumbered %d", q.Op, a, b)
				break
			}
		}
	}
	watches := Request{Op: SetWatches, Zxid: 7}
	q, _ := ParseRequest(twice.Request(watches, AppendRequest(nil, watches)), false)
	if fmt.Sprint(q.Op, q.Zxid) != "setWatches 14" {
		t.Errorf("%v", q)
	}
}

// numbersOf returns the zxid of a reply, and the numbers in its stats as normal
// reads them.
func numbersOf(q *Request, frame []byte) []int64 {
	p, _ := ParseReply(q.Op, frame)
	numbers := []int64{p.Zxid}
	for _, part := range strings.Split(normal(q, Out{Frame: frame}), "{")[1:] {
		var s Stat
		for _, word := range strings.Fields(strings.Trim(part, "}] ")) {
			_, _ = fmt.Sscanf(word, "Czxid:%d", &s.Czxid)
			_, _ = fmt.Sscanf(word, "Mzxid:%d", &s.Mzxid)
			_, _ = fmt.Sscanf(word, "Pzxid:%d", &s.Pzxid)
			_, _ = fmt.Sscanf(strings.Trim(word, "}]"), "EphemeralOwner:%d", &s.EphemeralOwner)
		}
		numbers = append(numbers, s.Czxid, s.Mzxid, s.Pzxid, s.EphemeralOwner)
	}
	return numbers
}
