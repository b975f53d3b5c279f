package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"lockstep/internal/testkit"
)

// TestAlone: from an empty folder to a verdict, with Go and the program alone.
func TestAlone(t *testing.T) {
	testkit.Long(t, "it compiles Lockstep twice; TestWhatTheProgramCarries and TestWorkspace are about what it does")
	dir := t.TempDir()
	program, empty, source := filepath.Join(dir, "lockstep"), filepath.Join(dir, "empty"), filepath.Join(dir, "source")
	testkit.OK(t, os.Mkdir(empty, 0o700))
	if out, err := exec.Command("go", "build", "-trimpath", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	run := func(want int, args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), program, args...)
		cmd.Dir = empty
		cmd.Env = append(os.Environ(), "LC_ALL=C", "LOCKSTEP_CACHE="+filepath.Join(dir, "cache"), "GOPROXY=off", "GOFLAGS=", "GOWORK=")
		out, err := cmd.CombinedOutput()
		if failed := (&exec.ExitError{}); err != nil && !errors.As(err, &failed) || cmd.ProcessState.ExitCode() != want {
			t.Fatalf("lockstep %s: %v\n%s", args, err, out)
		}
		return string(out)
	}
	run(0, "init", "locktest", ".")
	if says := run(1, "check", "."); !strings.Contains(says, "VIOLATED") || !strings.Contains(says, "foreign-release") || !strings.Contains(says, "lock.go:") {
		t.Errorf("the lock of the example:\n%s", says)
	}
	page := string(testkit.Must(os.ReadFile("docs/locktest.md"))(t))
	right := regexp.MustCompile("(?ms)^```go\n(.*?)^```").FindAllStringSubmatch(page, 3)[2][1]
	testkit.OK(t, os.WriteFile(filepath.Join(empty, "lock.go"), []byte(right), 0o600))
	mod := testkit.Must(os.ReadFile(filepath.Join(empty, "go.mod")))(t)
	if says := run(0, "check", "."); !strings.Contains(says, "HOLDS") {
		t.Errorf("the right lock:\n%s", says)
	}
	if is := testkit.Must(os.ReadFile(filepath.Join(empty, "go.mod")))(t); string(is) != string(mod) {
		t.Errorf("go.mod is now\n%s", is)
	}
	if entries := testkit.Must(os.ReadDir(empty))(t); len(entries) != 3 {
		t.Errorf("%v", entries)
	}

	// Then with go test alone.
	run(0, "init", "locktest", ".", "--go-mod", source)
	sums := testkit.Must(os.ReadFile("go.sum"))(t) // what go mod tidy would ask for
	testkit.OK(t, os.WriteFile(filepath.Join(empty, "go.sum"), sums, 0o600))
	for _, args := range [][]string{{"mod", "tidy"}, {"test", "-run=TestLock/contention"}} {
		cmd := exec.Command("go", args...)
		cmd.Dir, cmd.Env = empty, append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("go %s: %v\n%s", args, err, out)
		}
	}
	run(0, "check", ".")
}
