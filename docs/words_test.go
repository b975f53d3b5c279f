package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"lockstep/internal/testkit"
)

// TestWords: no page, no English text and no help has a phrase that
// docs/terms.md replaces.
func TestWords(t *testing.T) {
	all := pages(t)
	instead := phrases(all["docs/terms.md"])
	if len(instead) < 20 {
		t.Fatalf("docs/terms.md replaces only %d phrases", len(instead))
	}
	check := func(name, text string) {
		for _, p := range instead {
			for _, at := range p.never.FindAllStringIndex(text, -1) {
				t.Errorf("%s:%d: %q: write %s", name, 1+strings.Count(text[:at[0]], "\n"), text[at[0]:at[1]], p.write)
			}
		}
	}
	for name, text := range all {
		if name != "docs/terms.md" && !strings.HasPrefix(name, "sim/") && !strings.Contains(name, "testdata/") {
			check(name, prosaic(text))
		}
	}
	texts, err := filepath.Glob("../internal/prose/en/*.toml")
	if err != nil || len(texts) < 6 {
		t.Fatalf("%d files of texts, %v", len(texts), err)
	}
	for _, name := range texts {
		text := testkit.Must(os.ReadFile(name))(t)
		check(name, string(text))
	}
	commands, err := filepath.Glob("../internal/cli/*.go")
	if err != nil || len(commands) < 20 {
		t.Fatalf("%d files of commands, %v", len(commands), err)
	}
	for _, name := range commands {
		check(name, help(t, name))
	}
}

// A phrase is what no text says, and what it says instead.
type phrase struct {
	never *regexp.Regexp
	write string
}

// phrases are those of the columns "not": in a table of terms the term itself
// is better, in a table of phrases the second column.
func phrases(text string) (out []phrase) {
	for _, line := range strings.Split(text, "\n") {
		row := cells(line)
		never, write := row[len(row)-1], row[0]
		if len(row) == 2 {
			never, write = row[0], row[1]
		}
		if !strings.HasPrefix(line, "|") || never == "not" || strings.Trim(never, "-") == "" {
			continue
		}
		for _, p := range strings.Split(never, ", ") {
			words := strings.ReplaceAll(regexp.QuoteMeta(p), " ", `\s+`)
			out = append(out, phrase{regexp.MustCompile(`(?i)\b` + words + `\b`), write})
		}
	}
	return out
}

// prosaic is a page with blanks in place of its code and of what a program
// printed into it.
func prosaic(text string) string {
	for _, code := range []string{"(?ms)^```.*?^```", "`[^`\n]*`", `(?s)<!-- run: .*?<!-- end of the run -->`, `(?s)<!-- matrix -->.*?<!-- end of the matrix -->`} {
		text = regexp.MustCompile(code).ReplaceAllStringFunc(text, blank)
	}
	return text
}

// blank is a text of the same lines without their words.
func blank(text string) string {
	return strings.Repeat("\n", strings.Count(text, "\n"))
}

// help is what a file of commands says of them and their flags, at its lines.
func help(t *testing.T, name string) string {
	t.Helper()
	source := testkit.Must(os.ReadFile(name))(t)
	set := token.NewFileSet()
	tree := testkit.Must(parser.ParseFile(set, name, source, 0))(t)
	lines := make([]string, 1+strings.Count(string(source), "\n"))
	add := func(e ast.Expr) {
		if lit, ok := e.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			text := testkit.Must(strconv.Unquote(lit.Value))(t)
			for i, line := range strings.Split(text, "\n") {
				lines[set.Position(lit.Pos()).Line-1+i] += " " + line
			}
		}
	}
	ast.Inspect(tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.KeyValueExpr:
			if key, ok := n.Key.(*ast.Ident); ok && (key.Name == "Short" || key.Name == "Long") {
				add(n.Value)
			}
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.SelectorExpr); ok && regexp.MustCompile(`VarP?$`).MatchString(f.Sel.Name) {
				add(n.Args[len(n.Args)-1])
			}
		}
		return true
	})
	return strings.Join(lines, "\n")
}
