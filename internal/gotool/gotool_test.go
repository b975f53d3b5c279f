//go:build unix

package gotool

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"lockstep/internal/testkit"
)

// TestInterrupted: the go command is asked to end, and so is what it has started; what
// they leave in its temporary folder goes. The test has a go command of its own, which
// says that it has begun through a pipe, and a compiler that says through another one
// that it has ended.
func TestInterrupted(t *testing.T) {
	dir, temp := t.TempDir(), t.TempDir()
	script := `#!/bin/sh
test $1 = env && { echo ` + temp + `; exit; }
cd ` + dir + `
trap ': > asked; exit 1' INT
: > $GOTMPDIR/work
sh -c 'exec 3> ended; : > begun; read line < never'
`
	testkit.OK(t, os.WriteFile(filepath.Join(dir, "go"), []byte(script), 0o700))
	for _, name := range []string{"begun", "ended", "never"} {
		testkit.OK(t, syscall.Mkfifo(filepath.Join(dir, name), 0o600))
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		defer cancel()
		compiler, err := os.Open(filepath.Join(dir, "ended"))
		if err != nil {
			ended <- err
			return
		}
		_, err = os.ReadFile(filepath.Join(dir, "begun"))
		go func() {
			_, end := compiler.Read(make([]byte, 1)) // it writes nothing
			_ = compiler.Close()
			ended <- errors.Join(err, end)
		}()
	}()
	if _, err := Run(ctx, dir, nil, "build"); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if err := <-ended; err == nil || err.Error() != "EOF" {
		t.Errorf("the compiler: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "asked")); err != nil {
		t.Errorf("it was not asked: %v", err)
	}
	if left, err := os.ReadDir(temp); len(left) > 0 || err != nil {
		t.Errorf("%v is left, %v", left, err)
	}
}

// TestRun: what the go command prints, and how it fails.
func TestRun(t *testing.T) {
	out, err := Run(t.Context(), "", []string{"GOOS=plan9"}, "env", "GOOS")
	if strings.TrimSpace(string(out)) != "plan9" || err != nil {
		t.Errorf("%q, %v", out, err)
	}
	failed := &Error{}
	if _, err := Run(t.Context(), "", nil, "list", "./nowhere"); !errors.As(err, &failed) || !strings.Contains(failed.Says, "nowhere") {
		t.Errorf("%v", err)
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := Run(t.Context(), "", nil, "version"); !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("%v", err)
	}
}
