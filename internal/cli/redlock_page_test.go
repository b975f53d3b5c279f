package cli

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/scenarios"
	"lockstep/sim/history"
)

// TestRedlockPage plays the stories of the table in docs/redlock.md against its
// three locks: what is bold in a cell is what is violated.
func TestRedlockPage(t *testing.T) {
	page := testkit.Must(os.ReadFile("../../docs/redlock.md"))(t)
	rows := regexp.MustCompile("(?m)^\\| `(\\w+)`[^|]*\\| ([^|]*) \\| ([^|]*) \\| ([^|]*) \\|$").FindAllStringSubmatch(string(page), -1)
	if len(rows) < 10 {
		t.Fatalf("only %d stories", len(rows))
	}
	for _, row := range rows {
		story, err := scenarios.Find(row[1])
		if err != nil {
			t.Error(err)
			continue
		}
		for i, lock := range []string{"redlock-naive", "redlock", "fenced"} {
			cell := row[2+i]
			if strings.HasPrefix(cell, "not played") {
				continue
			}
			result := testkit.Must(scenarios.RunAgainst(t.Context(), story, lock))(t)
			want, _, _ := strings.Cut(strings.TrimPrefix(cell, "**"), "**")
			got := violated(result)
			if got == "" && !strings.HasPrefix(cell, "holds") || got != "" && got != want {
				t.Errorf("%s against %s: %q, and docs/redlock.md says %s", row[1], lock, got, cell)
			}
			if none := strings.HasPrefix(result.Consequence.String(), "sold 0"); none != strings.Contains(cell, "sells nothing") {
				t.Errorf("%s against %s: %s, and docs/redlock.md says %s", row[1], lock, result.Consequence, cell)
			}
		}
	}
}

// violated lists the invariants that a run violates, as a narrow table does.
func violated(r *scenarios.Result) string {
	var out []string
	for _, id := range history.Invariants() {
		if slices.ContainsFunc(r.Violations, func(v history.Violation) bool { return v.Invariant == id }) {
			out = append(out, history.Short(id))
		}
	}
	return strings.Join(out, ", ")
}
