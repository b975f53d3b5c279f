package server

import (
	"strings"
	"testing"

	"lockstep/sim"
)

// TestRareCorrections: what random scripts meet only once in thousands.
func TestRareCorrections(t *testing.T) {
	for _, test := range []struct {
		script string // conn command; conn command ...
		wants  string // the last reply, and what was sent on the way
	}{
		{"A ZADD z 1 a; B WATCH z; A ZREM z a; B MULTI, B EXEC", "nil"},
		{"A ZADD z 1 a 2 b; B WATCH z; A ZPOPMIN z; B MULTI, B EXEC", "nil"},
		{"A ZADD z 1 a 2 b; B WATCH z; A ZREMRANGEBYSCORE z -inf 1; B MULTI, B EXEC", "nil"},
		{"A ZADD z 1 a; B WATCH z; A ZREM z b; B MULTI, B EXEC", "[]"},
		{"A BLMOVE l m LEFT RIGHT 0; B BLPOP m 0; C RPUSH l x", "A x, B [m x], 1"},
		{"A XREAD BLOCK 0 STREAMS x $; B XREAD BLOCK 0 STREAMS x 0; C XADD x 1-1 f v", "A [[x [[1-1 [f v]]]]], B [[x [[1-1 [f v]]]]], 1-1"},
		{"A XADD x 5-1 f v; A XDEL x 5-1; A XADD x 5-1 f v", "(error) ERR The ID specified in XADD is equal or smaller than the target stream top item"},
		{"A SADD s b a; A SADD t a b; A SINTER s t", "[a b]"},
		{"A SADD s a; A SINTERSTORE s s none; A EXISTS s", "0"},
	} {
		n := newNode(t, 0)
		var heard []string
		last := ""
		for _, line := range strings.Split(test.script, "; ") {
			var cmds [][]string
			for _, cmd := range strings.Split(line, ", ") {
				cmds = append(cmds, strings.Fields(cmd)[1:])
			}
			_, done, err := n.Execute(0, line[:1], sim.Units(cmds), 0)
			if err != nil {
				t.Fatal(err)
			}
			last = done[len(done)-1].Reply
			for _, x := range done {
				for _, msg := range x.Sent {
					heard = append(heard, msg.Conn+" "+msg.Text)
				}
			}
		}
		if got := strings.Join(append(heard, last), ", "); got != test.wants {
			t.Errorf("%s: %s, want %s", test.script, got, test.wants)
		}
	}
}
