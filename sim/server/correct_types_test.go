package server

import (
	"strings"
	"testing"

	"lockstep/internal/testkit"
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
		{"A SADD s b a; A SADD t a b; A SINTER s t", "[a b]"},
		{"A SADD s a; A SINTERSTORE s s none; A EXISTS s", "0"},
	} {
		var n NodeState
		var heard []string
		last := ""
		for _, line := range strings.Split(test.script, "; ") {
			var cmds [][]string
			for _, cmd := range strings.Split(line, ", ") {
				cmds = append(cmds, strings.Fields(cmd)[1:])
			}
			done := testkit.Must(n.do(line[:1], cmds, 0))(t)
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
