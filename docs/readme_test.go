package docs

import (
	"flag"
	"fmt"
	"lockstep/internal/testkit"
	"lockstep/sim/history"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the words of the matrix into docs/hazards.md")

// TestReadme: the front page stays one, all pages have at most 25,000 words, and its small matrix and the words of docs/hazards.md
// say what docs/matrix.md says in numbers.
func TestReadme(t *testing.T) {
	all := pages(t)
	if n := strings.Count(all["README.md"], "\n"); n > 150 {
		t.Errorf("README.md has %d lines; what is more than 150 belongs into docs/", n)
	}
	words, generated := 0, []string{"docs/matrix.md", "docs/libraries-runs.md"}
	for name, text := range all {
		if !slices.Contains(generated, name) && !strings.HasSuffix(name, ".zh.md") && !strings.Contains(name, "testdata/") && name != "internal/export/page/hand_out.md" {
			words += len(regexp.MustCompile(`\S*[\pL\pN]\S*`).FindAllString(text, -1))
		}
	}
	if words > 25_000 {
		t.Errorf("the pages have %d words", words)
	}
	small, whole := table(all["README.md"], "| lock |"), table(all["docs/matrix.md"], "| lock |")
	if len(small) < 8 || len(whole) < 20 {
		t.Fatalf("%d and %d rows", len(small), len(whole))
	}
	if of := fmt.Sprintf("%d of the %d locks, under %d of the %d hazards", len(small), len(whole), len(small["setnx"]), len(whole["setnx"])); !strings.Contains(all["README.md"], of) {
		t.Errorf("README.md does not say: %s", of)
	}
	t.Run("hazards", func(t *testing.T) { inWords(t, all["docs/matrix.md"], all["docs/hazards.md"]) })
	for lock, cells := range small {
		for hazard, says := range cells {
			cell, ok := whole[lock][hazard]
			if want := outcome(cell); !ok || says != want {
				t.Errorf("README.md says that %s under %s: %s; it would be %s", lock, hazard, says, want)
			}
		}
	}
}

// inWords compares the table of docs/hazards.md with the matrix, cell by cell.
func inWords(t *testing.T, matrix, page string) {
	const begins, ends = "<!-- words -->\n", "<!-- end of the words -->"
	_, rows, _ := strings.Cut(matrix, "\n| lock |")
	rows, _, _ = strings.Cut("| lock |"+rows, "\n\n")
	var want strings.Builder
	for i, line := range strings.Split(rows, "\n") {
		if row := cells(line); i > 1 {
			for j := range row[1:] {
				row[j+1] = outcome(row[j+1])
			}
			line = "| " + strings.Join(row, " | ") + " |"
		}
		want.WriteString(line + "\n")
	}
	before, rest, _ := strings.Cut(page, begins)
	_, after, ok := strings.Cut(rest, ends)
	switch wanted := before + begins + want.String() + ends + after; {
	case !ok:
		t.Fatal("the page has no place for the words")
	case *update:
		testkit.OK(t, os.WriteFile("hazards.md", []byte(wanted), 0o644))
	case wanted != page:
		t.Errorf("docs/hazards.md is to say (go test ./docs -run TestReadme -update):\n%s", &want)
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
	return map[history.Harm]string{history.Damage: "damage", history.Inside: "two inside", history.Stuck: "stuck", history.ShutOut: "shut out", history.Breaks: "breaks"}[worst]
}
