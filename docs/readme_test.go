package docs

import (
	"lockstep/sim/history"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestReadme: the front page stays one, and its small matrix says what the
// whole one does.
func TestReadme(t *testing.T) {
	all := pages(t)
	if n := strings.Count(all["README.md"], "\n"); n > 150 {
		t.Errorf("README.md has %d lines; what is more than 150 belongs into docs/", n)
	}
	small, whole := table(all["README.md"], "| lock |"), table(all["docs/matrix.md"], "| lock |")
	if len(small) < 8 || len(whole) < 20 {
		t.Fatalf("%d and %d rows", len(small), len(whole))
	}
	for lock, cells := range small {
		for hazard, says := range cells {
			cell, ok := whole[lock][hazard]
			if want := outcome(cell); !ok || says != want {
				t.Errorf("README.md says that %s under %s: %s; it would be %s", lock, hazard, says, want)
			}
		}
	}
}

// TestRedlockTable: what docs/redlock.md says of an assumption that is dropped
// is what the whole matrix says.
func TestRedlockTable(t *testing.T) {
	all := pages(t)
	rows, whole := table(all["docs/redlock.md"], "| dropped |"), table(all["docs/matrix.md"], "| lock |")
	if len(rows) < 5 {
		t.Fatalf("%d rows", len(rows))
	}
	hazard := regexp.MustCompile("`--hazard ([a-z-]+)`")
	for dropped, row := range rows {
		m := hazard.FindStringSubmatch(row["`lockstep explore LOCK` with"])
		if m == nil {
			t.Errorf("%s: no hazard", dropped)
			continue
		}
		for _, lock := range []string{"redlock-naive", "redlock", "fenced"} {
			want := strings.ReplaceAll(whole[lock][m[1]], "**", "")
			if says := strings.ReplaceAll(row[lock], " states)", ")"); says != want {
				t.Errorf("%s, %s: docs/redlock.md says %s, and docs/matrix.md %s", dropped, lock, says, want)
			}
		}
	}
}

// table reads the table whose head begins so: by row, by column.
func table(text, head string) map[string]map[string]string {
	out := map[string]map[string]string{}
	_, rest, _ := strings.Cut(text, "\n"+head)
	lines := strings.Split(head+rest, "\n")
	columns := cells(lines[0])
	for _, line := range lines[min(2, len(lines)):] {
		row := cells(line)
		if len(row) != len(columns) {
			break
		}
		out[row[0]] = map[string]string{}
		for i, column := range columns[1:] {
			out[row[0]][column] = row[i+1]
		}
	}
	return out
}

func cells(line string) []string {
	out := strings.Split(strings.Trim(line, "|"), "|")
	for i := range out {
		out[i] = strings.TrimSpace(out[i])
	}
	return out
}

// outcome is the worst of what a cell of the whole matrix says, in a word.
func outcome(cell string) string {
	switch {
	case strings.HasPrefix(cell, "holds"):
		return "holds"
	case strings.HasPrefix(cell, "vacuous"):
		return "-"
	}
	var broken []string
	for _, m := range regexp.MustCompile(`\*\*([A-Z]{2}) `).FindAllStringSubmatch(cell, -1) {
		broken = append(broken, m[1])
	}
	worst := history.Breaks
	for _, id := range history.Invariants() {
		if harm := history.HarmOf(id); slices.Contains(broken, history.Short(id)) && slices.Index(history.Harms(), harm) < slices.Index(history.Harms(), worst) {
			worst = harm
		}
	}
	return map[history.Harm]string{history.Damage: "damage", history.Inside: "two inside", history.Stuck: "stuck", history.Breaks: "breaks"}[worst]
}
