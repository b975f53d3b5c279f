package server

import (
	"fmt"

	"lockstep/sim/resp"
)

// unitReply returns the reply to a unit as text: for a transaction, the reply
// to EXEC.
func unitReply(raw []byte, cmds int) string {
	for range cmds - 1 {
		_, n := replyPart(raw)
		raw = raw[n:]
	}
	return replyText(raw)
}

// replyText returns the first RESP2 reply in b like redis-cli, but on one line:
// 1, OK, nil, "a b" as text, [1 nil], (error) ERR ....
func replyText(b []byte) string {
	text, _ := replyPart(b)
	return text
}

// replyPart also returns the length of the reply. If b begins with no reply, it
// quotes b.
func replyPart(b []byte) (text string, n int) {
	v, n, err := resp.Parse(b)
	if err != nil || n == 0 {
		return fmt.Sprintf("%q", b), len(b)
	}
	return v.Shown(), n
}
