package server

import (
	"fmt"

	"lockstep/sim/resp"
)

// unitReply returns the last reply to a unit as text; for a transaction, this is
// the reply to EXEC.
func unitReply(raw []byte, cmds int) string {
	for range cmds - 1 {
		_, n := replyPart(raw)
		raw = raw[n:]
	}
	return replyText(raw)
}

// replyText returns the first RESP2 reply in b as one line of text: 1, OK, nil,
// a b, [1 nil], (error) ERR ....
func replyText(b []byte) string {
	text, _ := replyPart(b)
	return text
}

// replyPart is replyText, and also returns the length of the reply. If b does not
// begin with a whole reply, it quotes all of b.
func replyPart(b []byte) (text string, n int) {
	v, n, err := resp.Parse(b)
	if err != nil || n == 0 {
		return fmt.Sprintf("%q", b), len(b)
	}
	return v.Shown(), n
}
