package pages

import (
	"slices"
	"strings"
	"testing"
)

// TestAligned: the rows have both lists in their order, and as many pairs as a naive search
// finds.
func TestAligned(t *testing.T) {
	var common func(a, b string) int
	common = func(a, b string) int {
		switch {
		case a == "" || b == "":
			return 0
		case a[0] == b[0]:
			return 1 + common(a[1:], b[1:])
		}
		return max(common(a[1:], b), common(a, b[1:]))
	}
	words := []string{"", "a", "ab", "ba", "abcab", "bcaba", "xaxbxc", "abc", "ccc"}
	for _, a := range words {
		for _, b := range words {
			var left, right strings.Builder
			pairs := 0
			for _, r := range aligned(len(a), len(b), func(i, j int) bool { return a[i] == b[j] }) {
				if r[0] >= 0 {
					left.WriteByte(a[r[0]])
				}
				if r[1] >= 0 {
					right.WriteByte(b[r[1]])
				}
				if !slices.Contains(r[:], -1) {
					pairs++
				}
			}
			if left.String() != a || right.String() != b || pairs != common(a, b) {
				t.Errorf("%q beside %q: %q beside %q, %d pairs", a, b, left.String(), right.String(), pairs)
			}
		}
	}
}
