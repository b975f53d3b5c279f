//go:build unix

package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestInterrupt stops lockstep while it has many stories to run. That it has
// reported the first of them shows that it is at it.
func TestInterrupt(t *testing.T) {
	const many = 1000
	text, err := os.ReadFile("scenarios/stories/" + crash + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for i := range many {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%04d.txt", i)), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, signal := range []os.Signal{syscall.SIGINT, syscall.SIGTERM} {
		t.Run(signal.String(), func(t *testing.T) {
			var stderr bytes.Buffer
			cmd := exec.CommandContext(t.Context(), "lockstep", "test", dir)
			cmd.Stderr = &stderr
			stdout, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			stuck := time.AfterFunc(60*time.Second, func() { _ = cmd.Process.Kill() })
			defer stuck.Stop()
			lines := bufio.NewScanner(stdout)
			lines.Scan()
			if err := cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			told := 1
			for lines.Scan() {
				told++
			}
			err = cmd.Wait()
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() != exitInterrupted {
				t.Errorf("exit: %v, want %d", err, exitInterrupted)
			}
			if told >= many || stderr.String() != "lockstep: interrupted\n" {
				t.Errorf("%d stories told, stderr %q", told, &stderr)
			}
		})
	}
}
