package adapter

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/testkit"
)

var update = flag.Bool("update", false, "write the adapters below testdata")

// TestAdapters: each kind of lock gets the test that stands beside it, and that compiles.
func TestAdapters(t *testing.T) {
	dirs, err := filepath.Glob("testdata/*")
	if err != nil || len(dirs) < 6 {
		t.Fatal(err, dirs)
	}
	vet := []string{"vet"}
	for _, dir := range dirs {
		text, err := Text(t.Context(), dir, dir)
		if filepath.Base(dir) == "nothing" {
			if err == nil || !strings.Contains(err.Error(), "exports no function and no method") {
				t.Errorf("%v\n%s", err, text)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", dir, err)
			continue
		}
		file := filepath.Join(dir, File)
		if *update {
			testkit.OK(t, os.WriteFile(file, []byte(text), 0o600))
		}
		if want, err := os.ReadFile(file); err != nil || string(want) != text {
			t.Errorf("%s: %v\n%s", dir, err, text)
		}
		vet = append(vet, "./"+filepath.ToSlash(dir))
	}
	if out, err := exec.Command("go", vet...).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestExample: the example is that of the page.
func TestExample(t *testing.T) {
	page := string(testkit.Must(os.ReadFile("../../../docs/locktest.md"))(t))
	for _, text := range []string{ExampleLock, ExampleTest} {
		if !strings.Contains(page, "```go\n"+text+"```") {
			t.Errorf("the page has no\n%s", text)
		}
	}
}
