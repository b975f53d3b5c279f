package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestNamesOfTests: every test that a page names is there.
func TestNamesOfTests(t *testing.T) {
	var tests strings.Builder
	if err := fs.WalkDir(os.DirFS(".."), ".", func(name string, _ fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(name, "_test.go") {
			text, err := os.ReadFile(filepath.Join("..", name))
			tests.Write(text)
			return err
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	all := pages(t)
	for name, least := range map[string]int{"docs/internals/explorer.md": 20, "docs/internals/testing.md": 40} {
		if n := len(namedTests(all[name])); n < least {
			t.Errorf("%s: only %d tests are named", name, n)
		}
	}
	for name, text := range all {
		for _, test := range namedTests(text) {
			if !strings.Contains(tests.String(), "\nfunc "+test+"(") {
				t.Errorf("%s: there is no %s", name, test)
			}
		}
	}
}

// namedTests are the tests that a page names in code, or picks in a command.
func namedTests(text string) (names []string) {
	for _, m := range regexp.MustCompile("(?:`|-run |-fuzz )((?:Test|Fuzz)[A-Z]\\w*)\\b").FindAllStringSubmatch(text, -1) {
		names = append(names, m[1])
	}
	return names
}
