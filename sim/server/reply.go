package server

import (
	"fmt"

	"lockstep/sim/resp"
)

// unitReply writes the reply to a unit: that of EXEC for a transaction.
func unitReply(raw []byte, cmds int) string {
	for range cmds - 1 {
		_, n := replyPart(raw)
		raw = raw[n:]
	}
	return replyText(raw)
}

// replyText writes the first RESP2 reply in b as redis-cli would, on one line:
// 1, OK, nil, "a b" as text, [1 nil], (error) ERR ....
func replyText(b []byte) string {
	text, _ := replyPart(b)
	return text
}

// replyPart also returns how long that reply is. What is none is quoted, all of
// it.
func replyPart(b []byte) (text string, n int) {
	v, n, err := resp.Parse(b)
	if err != nil || n == 0 {
		return fmt.Sprintf("%q", b), len(b)
	}
	return v.Shown(), n
}
