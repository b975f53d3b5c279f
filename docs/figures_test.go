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
	"regexp"
	"strconv"
	"strings"
	"testing"

	"lockstep/internal/testkit"
)

// TestFigures: where the code decides a number, the page has the same; testdata/figures.txt
// lists them. Each module that go.mod requires is on its page.
func TestFigures(t *testing.T) {
	all := pages(t)
	for name, text := range all {
		all[name] = strings.Join(strings.Fields(text), " ")
	}
	list := testkit.Must(os.ReadFile("testdata/figures.txt"))(t)
	checked := 0
	page, says := "", ""
	for line := range strings.Lines(string(list)) {
		line = strings.TrimRight(line, "\n")
		if p, words, ok := strings.Cut(line, " says "); ok && line[0] != '#' && line[0] != '\t' {
			page, says = p, words
			continue
		}
		source, ok := strings.CutPrefix(line, "\t")
		if !ok {
			continue
		}
		checked++
		if file, code, ok := strings.Cut(source, " is "); ok {
			text, err := os.ReadFile(filepath.Join("..", file))
			if code = strings.NewReplacer(`\n`, "\n", `\t`, "\t").Replace(code); err != nil || !strings.Contains(string(text), code) {
				t.Errorf("%s says %q, and %s is not %q any more, %v", page, says, file, code, err)
			}
		} else {
			w := strings.Fields(source)
			n, err := number(filepath.Join("..", w[0]), w[1])
			if err != nil {
				t.Errorf("%s: %v", w[0], err)
				continue
			}
			says = fmt.Sprintf(says, units[w[2]](n))
		}
		if !strings.Contains(strings.ToLower(all[page]), strings.ToLower(says)) {
			t.Errorf("%s does not say: %s", page, says)
		}
	}
	direct := regexp.MustCompile(`(?m)^\t(\S+) v\S+( // locktest)?$`).FindAllStringSubmatch(string(testkit.Must(os.ReadFile("../go.mod"))(t)), -1)
	for _, m := range direct {
		if !strings.Contains(all["docs/internals/dependencies.md"], m[1]) {
			t.Errorf("docs/internals/dependencies.md says nothing of %s", m[1])
		}
	}
	if checked < 50 || len(direct) < 20 {
		t.Errorf("only %d figures, %d modules", checked, len(direct))
	}
}

// units are how pages write numbers.
var units = map[string]func(int64) string{"plain": plain, "bytes": bytes, "word": word, "seconds": seconds, "thousandths": thousandths, "millions": millions}

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
