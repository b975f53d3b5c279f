package sim

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

var errProtocol = errors.New("sim: not a RESP request")

// maxRequest bounds one argument of a request.
const maxRequest = 16 << 20

// parseRequest takes one complete request (an array of bulk strings) off the
// front of b and returns how many bytes it took; 0 if b holds only a part.
func parseRequest(b []byte) (args []string, n int, err error) {
	count, n, err := parseLength(b, '*')
	if err != nil || n == 0 {
		return nil, 0, err
	}
	for range count {
		size, m, err := parseLength(b[n:], '$')
		if err != nil || m == 0 || len(b) < n+m+size+2 {
			return nil, 0, err
		}
		n += m
		args = append(args, string(b[n:n+size]))
		n += size + 2
	}
	return args, n, nil
}

// parseLength reads a line such as "*3\r\n".
func parseLength(b []byte, mark byte) (length, n int, err error) {
	end := bytes.Index(b, []byte("\r\n"))
	if end < 0 {
		return 0, 0, nil
	}
	if end == 0 || b[0] != mark {
		return 0, 0, errProtocol
	}
	length, err = strconv.Atoi(string(b[1:end]))
	if err != nil || length < 0 || length > maxRequest {
		return 0, 0, errProtocol
	}
	return length, end + 2, nil
}

// replyText writes one RESP2 reply as redis-cli would, on one line: 1, OK,
// nil, "a b" as text, [1 nil], (error) ERR ....
func replyText(b []byte) string {
	text, _ := replyPart(b)
	return text
}

func replyPart(b []byte) (text string, n int) {
	end := bytes.Index(b, []byte("\r\n"))
	if end < 1 {
		return fmt.Sprintf("%q", b), len(b)
	}
	line, n := string(b[1:end]), end+2
	switch b[0] {
	case '-':
		return "(error) " + line, n
	case '$', '*':
		size, err := strconv.Atoi(line)
		if err != nil || size < 0 {
			return "nil", n
		}
		if b[0] == '$' {
			return printable(string(b[n : n+size])), n + size + 2
		}
		parts := make([]string, size)
		for i := range parts {
			part, m := replyPart(b[n:])
			parts[i], n = part, n+m
		}
		return "[" + strings.Join(parts, " ") + "]", n
	}
	return line, n
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
