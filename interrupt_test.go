//go:build unix

package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestInterrupt stops lockstep while it reads a story from a pipe that never
// ends. That the pipe opens for writing shows that lockstep is at it.
func TestInterrupt(t *testing.T) {
	for _, signal := range []os.Signal{syscall.SIGINT, syscall.SIGTERM} {
		t.Run(signal.String(), func(t *testing.T) {
			pipe := filepath.Join(t.TempDir(), "slow.txt")
			if err := syscall.Mkfifo(pipe, 0o600); err != nil {
				t.Skip(err)
			}
			var stdout, stderr bytes.Buffer
			cmd := exec.CommandContext(t.Context(), "lockstep", "run", pipe)
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			stuck := time.AfterFunc(20*time.Second, func() { _ = cmd.Process.Kill() })
			defer stuck.Stop()
			defer openOnceRead(t, pipe)()
			if err := cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			err := cmd.Wait()
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() != exitInterrupted {
				t.Errorf("exit: %v, want %d", err, exitInterrupted)
			}
			if stdout.Len() > 0 || stderr.String() != "lockstep: interrupted\n" {
				t.Errorf("stdout %q, stderr %q", &stdout, &stderr)
			}
		})
	}
}

// openOnceRead opens a pipe for writing as soon as somebody reads it, and
// returns what closes it.
func openOnceRead(t *testing.T, pipe string) func() {
	for range 1000 {
		file, err := os.OpenFile(pipe, os.O_WRONLY|syscall.O_NONBLOCK, 0)
		if err == nil {
			return func() { _ = file.Close() }
		}
		if !errors.Is(err, syscall.ENXIO) {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("nobody reads the story")
	return nil
}
