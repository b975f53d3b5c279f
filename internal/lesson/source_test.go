package lesson

import (
	"maps"
	"strings"
	"testing"
)

// TestFaultTexts: a comment on a fault is one text, also over two lines, and the next
// mark begins another.
func TestFaultTexts(t *testing.T) {
	for name, c := range map[string]struct {
		source string
		want   map[int]string
	}{
		"no fault":    {"// Lock locks.\nfunc Lock() {}", map[int]string{}},
		"one line":    {"x()\n\t// BUG(lesson): no TTL.\n\ty()", map[int]string{1: "no TTL."}},
		"two lines":   {"// BUG(lesson): writes first\n// and asks afterwards.\ny()", map[int]string{1: "writes first and asks afterwards."}},
		"two in turn": {"// BUG(lesson): one.\n// BUG(lesson): two.\ny()", map[int]string{0: "one.", 1: "two."}},
		"after prose": {"// Why it is so.\n// BUG(lesson): no TTL.", map[int]string{1: "no TTL."}},
	} {
		if got := FaultTexts(strings.Split(c.source, "\n")); !maps.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}
