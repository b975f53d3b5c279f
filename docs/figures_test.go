package docs

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// A figure is a number that a page states and the code decides: a constant, by
// its file and name. The page says it in these words, with %s for the number.
type figure struct {
	page, says string
	file, name string
	as         func(n int64) string
}

var figures = []figure{
	{"docs/commands.md", "`schema`, which is %s:", "sim/history/json.go", "schema", plain},
	{"docs/commands.md", "| %s | as expected.", "internal/cli/exit.go", "exitOK", plain},
	{"docs/commands.md", "| %s | not as expected:", "internal/cli/exit.go", "exitUnexpected", plain},
	{"docs/commands.md", "| %s | not done:", "internal/cli/exit.go", "exitUsage", plain},
	{"docs/commands.md", "| %s | interrupted, in any other command", "internal/cli/exit.go", "exitInterrupted", plain},
	{"docs/courses.md", "Packed it may have %s,", "sim/history/token.go", "maxToken", bytes},
	{"docs/courses.md", "unpacked %s, of which", "sim/history/token.go", "maxTokenText", bytes},
	{"docs/courses.md", "a story may take %s.", "scenarios/parse.go", "maxStory", bytes},
	{"docs/courses.md", "within bounds: %s chapters,", "internal/course/read.go", "maxChapters", plain},
	{"docs/courses.md", "%s stories,", "internal/course/read.go", "maxStories", plain},
	{"docs/courses.md", "%s a file,", "internal/course/read.go", "maxText", bytes},
	{"docs/courses.md", "%s entries and", "internal/course/open.go", "maxEntries", plain},
	{"docs/courses.md", "%s for a zip,", "internal/course/open.go", "maxZip", bytes},
	{"docs/explorer.md", "a cell of the matrix ends beyond %s states", "internal/matrix/matrix.go", "States", plain},
	{"docs/explorer.md", "up to %s states", "sim/explore/trace.go", "maxTraced", plain},
	{"docs/explorer.md", "The worst is played %s times", "internal/cli/exploration.go", "replays", word},
	{"docs/explorer.md", "it has done the same %s times over", "sim/model/spin.go", "SpinRounds", plain},
	{"docs/explorer.md", "has to do it %s times", "sim/model/spin.go", "mostAtOnce", plain},
	{"docs/explorer.md", "The guarded work takes %s seconds", "sim/explore/hazard.go", "someWork", seconds},
	{"docs/explorer.md", "of a lease of %s where", "sim/explore/hazard.go", "lease", seconds},
	{"docs/explorer.md", "Redlock is explored on %s nodes", "sim/explore/hazard.go", "fewNodes", word},
	{"docs/exports.md", "beyond the %sth of a run", "internal/export/told.go", "maxAccounts", plain},
	{"docs/invariants.md", "somebody acquires within %s leases", "sim/recover.go", "RecoveryLeases", plain},
	{"docs/presenting.md", "No line of text is longer than %s cells", "tui/pages/talk_view.go", "columnWidth", plain},
	{"docs/real-servers.md", "Deadlines may differ by %s ms", "scenarios/difference.go", "tolerance", plain},
	{"docs/real-servers.md", "no key has less than %s s", "sim/live/conn.go", "parked", thousandths},
	{"docs/walkthrough.md", "there is from 80 x %s)", "tui/pages/panes.go", "tallHeight", plain},
	{"docs/walkthrough.md", "below %s x", "tui/pages/view.go", "leastWidth", plain},
	{"docs/walkthrough.md", "x %s it waits for a larger terminal", "tui/pages/view.go", "leastHeight", plain},
	{"docs/web.md", "compressed: at most %s MB", "internal/web/write_test.go", "most", millions},
	{"docs/web.md", "one processor and %s.", "internal/web/engine/explore.go", "memory", bytes},
	{"docs/testing.md", "an error at its line: %s actions", "sim/history/schedule.go", "MaxSchedule", plain},
	{"docs/testing.md", "given up after %s actions", "internal/explain/explain.go", "MaxWork", plain},
}

// A fact is the same where the code has no name for the number: the page says
// one thing, and the code is written so.
type fact struct{ page, says, file, code string }

var facts = []fact{
	{"README.md", "With Go 1.26 or newer", "go.mod", "\ngo 1.26.0\n"},
	{"CONTRIBUTING.md", "Go 1.26 and nothing else", "go.mod", "\ngo 1.26.0\n"},
	{"CONTRIBUTING.md", "with 1, 2 and 8 processors", "scenarios/determinism_test.go", "[]int{8, 1, 2}"},
	{"docs/courses.md", "have up to 2600 characters", "scenarios/lesson_test.go", "longest > 2600"},
	{"docs/explorer.md", "and beyond 500,000 if nothing is", "internal/matrix/matrix.go", "Unbroken = 10 * States"},
	{"docs/explorer.md", "jumps by ten seconds forward or back", "sim/explore/hazard.go", "By: -10 * history.Second}"},
	{"docs/explorer.md", "runs at a quarter of its speed or at four times", "sim/explore/hazard.go", "By: 250},\n\t\t{Verb: history.Rate, Node: node, By: 4000}"},
	{"docs/explorer.md", "a client tries three times", "sim/explore/hazard.go", "c.Wait, c.Poll = 6*history.Second, 3*history.Second"},
	{"docs/explorer.md", "After a second it is reported on stderr", "sim/program/stuck.go", "looksToTell   = 4\n\tlooksToGiveUp = 20"},
	{"docs/explorer.md", "After five it is given up", "sim/program/stuck.go", "patience: 5 * time.Second"},
	{"docs/exports.md", "Mermaid itself (12.3.0) draws", "internal/export/testdata/package.json", `"mermaid": "12.3.0"`},
	{"docs/explorer.md", "by default a third of what the machine", "internal/cli/memory.go", "size(mostMemory() / 3)"},
	{"docs/fidelity.md", "a plain `go test` runs 400", "sim/server/conformance_test.go", "testkit.Size(t, 400, 100)"},
	{"docs/fidelity.md", "LOCKSTEP_RUNS=250", "sim/server/conformance_test.go", "testkit.Size(t, 400, 100)"},
	{"docs/libraries.md", "200,000 states were explored", "internal/trial/plan.go", "States: 200_000"},
	{"docs/libraries.md", "and 100 runs sampled besides", "examples/table_test.go", "plan.Runs = 100"},
	{"docs/libraries.md", "(go-redis 9.23: five by default)", "examples/go.mod", "github.com/redis/go-redis/v9 v9.23."},
	{"docs/playbook.md", "200,000 states of each hazard", "internal/trial/plan.go", "States: 200_000"},
	{"docs/playbook.md", "the part that was sampled is a hundred runs", "examples/table_test.go", "plan.Runs = 100"},
	{"docs/presenting.md", "60 x 20 to 80 x 24 cells", "tui/pages/script_test.go", `"60x20,80x24,120x40"`},
	{"docs/redlock.md", "takes 1 % of the ttl and 2 ms off", "strategies/redlock.go", "l.TTL/100 + 2*time.Millisecond"},
}

// TestFigures: where the code decides a number, the page has the same.
func TestFigures(t *testing.T) {
	all := pages(t)
	for name, text := range all {
		all[name] = strings.Join(strings.Fields(text), " ")
	}
	says := func(page, words string) {
		if !strings.Contains(strings.ToLower(all[page]), strings.ToLower(words)) {
			t.Errorf("%s does not say: %s", page, words)
		}
	}
	for _, f := range figures {
		n, err := number(filepath.Join("..", f.file), f.name)
		if err != nil {
			t.Errorf("%s: %v", f.file, err)
			continue
		}
		says(f.page, fmt.Sprintf(f.says, f.as(n)))
	}
	for _, f := range facts {
		code, err := os.ReadFile(filepath.Join("..", f.file))
		if err != nil || !strings.Contains(string(code), f.code) {
			t.Errorf("%s says %q, and %s is not %q any more, %v", f.page, f.says, f.file, f.code, err)
		}
		says(f.page, f.says)
	}
}

// number is what a constant in a file comes to.
func number(file, name string) (int64, error) {
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, file, nil, 0)
	if err != nil {
		return 0, err
	}
	var text strings.Builder
	ast.Inspect(tree, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok && len(spec.Names) == len(spec.Values) {
			for i, id := range spec.Names {
				if id.Name == name {
					err = format.Node(&text, set, spec.Values[i])
				}
			}
		}
		return true
	})
	if err == nil && text.Len() == 0 {
		err = fmt.Errorf("there is no constant %s", name)
	}
	if err != nil {
		return 0, err
	}
	alone := strings.NewReplacer("history.Second", "1000", "history.Millis", "int64").Replace(text.String())
	value, err := types.Eval(token.NewFileSet(), nil, token.NoPos, alone)
	if err != nil {
		return 0, fmt.Errorf("%s = %s: %w", name, alone, err)
	}
	n, exact := constant.Int64Val(constant.ToInt(value.Value))
	if !exact {
		return 0, fmt.Errorf("%s = %s is not a whole number", name, alone)
	}
	return n, nil
}

// plain is a number as the pages write it: with commas from 10,000 on.
func plain(n int64) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0 && n >= 10_000; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

func word(n int64) string {
	if w := map[int64]string{2: "two", 3: "three", 5: "five", 10: "ten"}[n]; w != "" {
		return w
	}
	return plain(n)
}

func seconds(n int64) string     { return word(n / 1000) }
func thousandths(n int64) string { return plain(n / 1000) }
func millions(n int64) string    { return strconv.FormatFloat(float64(n)/1e6, 'f', -1, 64) }

func bytes(n int64) string {
	if n < 1<<20 {
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return strings.TrimSuffix(fmt.Sprintf("%.1f", float64(n)/(1<<20)), ".0") + " MiB"
}
