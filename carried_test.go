package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestWhatTheProgramCarries: each file that a test of a lock is compiled from, on whatever
// system, and no test; and go.mod marks the modules of these, which are few.
func TestWhatTheProgramCarries(t *testing.T) {
	const each = `{{with .Module}}{{.Path}}{{end}} {{.Dir}} {{join .GoFiles " "}} {{join .IgnoredGoFiles " "}} {{join .EmbedFiles " "}}`
	out, err := exec.Command("go", "list", "-deps", "-f", each, "./locktest").Output()
	if err != nil {
		t.Fatal(err)
	}
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	var modules []string
	needed := map[string]bool{"go.mod": true, "go.sum": true}
	for _, line := range strings.Split(string(out), "\n") {
		of, rest, _ := strings.Cut(line, " ")
		if of != "" && of != "lockstep" {
			modules = append(modules, of)
		}
		words := strings.Fields(rest)
		for i, name := range words {
			if of == "lockstep" && i > 0 && !strings.HasSuffix(name, "_test.go") {
				at, err := filepath.Rel(root, filepath.Join(words[0], name))
				if err != nil {
					t.Fatal(err)
				}
				needed[filepath.ToSlash(at)] = true
			}
		}
	}
	if !needed["sim/server/real_fault.go"] || !needed["internal/files/system_other.go"] || !needed["scenarios/advice.toml"] {
		t.Fatalf("not all files are listed: %v", needed)
	}
	err = fs.WalkDir(carried, ".", func(name string, d fs.DirEntry, err error) error {
		if strings.HasSuffix(name, "_test.go") {
			t.Errorf("the program carries %s", name)
		}
		delete(needed, name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range needed {
		t.Errorf("the program does not carry %s; main.go needs a pattern for it", name)
	}

	text, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	var marked []string
	for _, line := range regexp.MustCompile(`(?m)^\t(\S+) .*\blocktest$`).FindAllStringSubmatch(string(text), -1) {
		marked = append(marked, line[1])
	}
	slices.Sort(marked)
	slices.Sort(modules)
	if modules = slices.Compact(modules); !slices.Equal(marked, modules) {
		t.Errorf("go.mod marks with locktest\n%v\nand a test of a lock needs\n%v", marked, modules)
	}
}
