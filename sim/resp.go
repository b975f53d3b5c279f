package sim

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"lockstep/sim/resp"
)

var errProtocol = errors.New("sim: not a RESP request")

// parseRequest takes one complete command off the front of b and returns how
// many bytes it took; 0 if b holds only a part.
func parseRequest(b []byte) (args []string, n int, err error) {
	v, n, err := resp.Parse(b)
	if err != nil {
		return nil, 0, fmt.Errorf("%w: %w", errProtocol, err)
	}
	if n == 0 {
		return nil, 0, nil
	}
	args, ok := v.Command()
	if !ok {
		return nil, 0, errProtocol
	}
	return args, n, nil
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
	return valueText(v), n
}

func valueText(v resp.Value) string {
	switch {
	case v.Null:
		return "nil"
	case v.Kind == '-':
		return "(error) " + v.Text
	case v.Kind == '$':
		return printable(v.Text)
	case v.Kind != '*':
		return v.Text
	}
	parts := make([]string, len(v.Items))
	for i, item := range v.Items {
		parts[i] = valueText(item)
	}
	return "[" + strings.Join(parts, " ") + "]"
}

// printable quotes what would damage a terminal or a JSON file.
func printable(s string) string {
	for _, r := range s {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return strconv.Quote(s)
		}
	}
	return s
}
