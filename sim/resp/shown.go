package resp

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Shown writes a value as redis-cli would, on one line: 1, OK, nil, "a b" as
// text, [1 nil], (error) ERR ....
func (v Value) Shown() string {
	switch {
	case v.Null:
		return "nil"
	case v.Kind == '-':
		return "(error) " + v.Text
	case v.Kind == '$':
		return Printable(v.Text)
	case v.Kind != '*':
		return v.Text
	}
	parts := make([]string, len(v.Items))
	for i, item := range v.Items {
		parts[i] = item.Shown()
	}
	return "[" + strings.Join(parts, " ") + "]"
}

// Printable quotes what would damage a terminal or a JSON file.
func Printable(s string) string {
	for _, r := range s {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return strconv.Quote(s)
		}
	}
	return s
}
