package main

import (
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestReadmeNamesTests checks that every test that a README names is there.
func TestReadmeNamesTests(t *testing.T) {
	var code strings.Builder
	if err := fs.WalkDir(os.DirFS("."), ".", func(path string, _ fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, "_test.go") {
			text, err := os.ReadFile(path)
			code.Write(text)
			return err
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	for path, least := range map[string]int{"README.md": 20, "testdata/README.md": 40} {
		readme, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		names := regexp.MustCompile("`((?:Test|Fuzz)[A-Z]\\w*)`").FindAllStringSubmatch(string(readme), -1)
		if len(names) < least {
			t.Errorf("%s: only %d tests are named", path, len(names))
		}
		for _, name := range names {
			if !strings.Contains(code.String(), "\nfunc "+name[1]+"(") {
				t.Errorf("%s: there is no %s", path, name[1])
			}
		}
	}
}
