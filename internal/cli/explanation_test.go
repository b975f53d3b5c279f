package cli

import (
	"bytes"
	"strings"
	"testing"
)

// TestCostsAnswerNothing: what a violation cost is told when the transcript has
// come to it, and not before a question of which it is the answer.
func TestCostsAnswerNothing(t *testing.T) {
	var stdout, stderr bytes.Buffer
	a := newApp(strings.NewReader(""), &stdout, &stderr)
	if code := a.run(t.Context(), []string{"run", "del_removes_the_next_holders_lock", "--plain"}); code != 0 {
		t.Fatal(code, stderr.String())
	}
	text := stdout.String()
	for _, in := range [][]string{ // order
		{"Invariant: phantom-hold", "Question: ", "What it cost (phantom-hold): C acquired at 3.001s", "Step 7 of 9"},
		{"Invariant: mutual-exclusion", "Why (step 5): A's DEL (set_del.go:28)", "What it cost: C and B were inside together",
			"Would have prevented it: In this run, a lease of 4s instead of 3s", "Step 7 of 9"},
	} {
		rest := text
		for _, want := range in {
			_, after, found := strings.Cut(rest, want)
			if !found {
				t.Errorf("%q does not come where it should in\n%s", want, text)
				break
			}
			rest = after
		}
	}
	if before, _, _ := strings.Cut(text, "Question: "); strings.Contains(before, "C acquired") {
		t.Error("the answer is told before the question")
	}
}
