package history

import (
	"cmp"
	"strings"
	"testing"
)

// TestMembers: the first member of a sorted set has the lock, whoever put it there.
func TestMembers(t *testing.T) {
	c := Default()
	zset := func(value string) *KeyState { return &KeyState{Type: "zset", Value: value} }
	apply := func(client string, before, after *KeyState) Event {
		return Event{Kind: Apply, Client: client, Node: "r1", Changes: []Change{{Key: c.Key(), Before: before, After: after}}}
	}
	acquired := func(client string) Event {
		return Event{Kind: Return, Client: client, Op: OpAcquire, Outcome: Acquired}
	}
	for name, test := range map[string]struct {
		events []Event
		wants  string
	}{
		"the second waits":    {[]Event{apply("A", nil, zset("{a=1}")), acquired("A"), apply("B", zset("{a=1}"), zset("{a=1 b=2}"))}, ""},
		"an earlier score":    {[]Event{apply("A", nil, zset("{a=1}")), acquired("A"), apply("B", zset("{a=1}"), zset("{b=0.5 a=1}"))}, PhantomHold},
		"the second believes": {[]Event{apply("A", nil, zset("{a=1}")), acquired("A"), apply("B", zset("{a=1}"), zset("{a=1 b=2}")), acquired("B")}, PhantomHold},
		"another removes it":  {[]Event{apply("A", nil, zset("{a=1}")), acquired("A"), apply("B", zset("{a=1}"), nil)}, ForeignRelease},
		"it moves up":         {[]Event{apply("A", nil, zset("{a=1}")), apply("B", zset("{a=1}"), zset("{a=1 b=2}")), apply("A", zset("{a=1 b=2}"), zset("{b=2}")), acquired("B")}, ""},
	} {
		m := NewMonitor(c, 1)
		got := ""
		for i, e := range test.events {
			e.Seq = i
			for _, v := range m.Observe(e) {
				got = cmp.Or(got, v.Invariant)
			}
			if got != "" {
				break
			}
		}
		if got != test.wants {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// TestTimeOutOf: which word of which command says for how long it waits.
func TestTimeOutOf(t *testing.T) {
	for _, test := range []struct {
		cmd  string
		word string
	}{
		{"BLPOP k l 5", "5"}, {"BLMOVE k l LEFT RIGHT 0", "0"}, {"BZPOPMIN z 0.5", "0.5"}, {"LPOP k 5", ""}, {"BLPOP k", ""},
	} {
		if word := TimeOutOf(strings.Fields(test.cmd)); word != test.word {
			t.Errorf("%s: %q", test.cmd, word)
		}
	}
}
