package main

import (
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestReadmeNamesTests checks that every test that the README names is there.
func TestReadmeNamesTests(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
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
	names := regexp.MustCompile("`(Test[A-Z]\\w*)`").FindAllStringSubmatch(string(readme), -1)
	if len(names) < 20 {
		t.Errorf("only %d tests are named", len(names))
	}
	for _, name := range names {
		if !strings.Contains(code.String(), "\nfunc "+name[1]+"(t *testing.T)") {
			t.Errorf("there is no %s", name[1])
		}
	}
}
