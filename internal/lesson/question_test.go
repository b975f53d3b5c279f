package lesson

import (
	"strings"
	"testing"

	"lockstep/internal/prose"
	"lockstep/internal/testkit"
)

// TestReasons: what speaks against the given answer comes first, then what speaks for the
// right one, in whatever place they stand.
func TestReasons(t *testing.T) {
	q := Question{
		Choices: []Choice{{"A", "A", "a"}, {"B", "B", "b"}, {"C", "C", ""}, {"D", "D", "d"}},
		Right:   1, book: testkit.Must(prose.Load("en"))(t),
	}
	for given, want := range map[string]string{"": "bad", "A": "abd", "B": "bad", "C": "bad", "D": "dba"} {
		var got strings.Builder
		for _, p := range q.Reasons(given) {
			got.WriteString(p.Text)
		}
		if got.String() != want {
			t.Errorf("given %q: the reasons are of %q, want %q", given, got.String(), want)
		}
	}
}
