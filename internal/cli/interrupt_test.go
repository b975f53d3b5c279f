//go:build unix

package cli

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"lockstep/internal/lang"
)

// TestInterrupt stops lockstep while it has many stories to run. That it has
// reported the first of them shows that it is at it.
func TestInterrupt(t *testing.T) {
	const many = 1000
	text, err := os.ReadFile("../../scenarios/stories/" + crash + ".txt")
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

// TestInterruptOfStuckCode ends what waits for it, long before the code is given
// up; a search then tells what it has come to.
func TestInterruptOfStuckCode(t *testing.T) {
	t.Parallel()
	story := filepath.Join(t.TempDir(), "stuck.txt")
	text := "world strategy=hostile-channel clients=A,B\n----\n\nstep A\n----\n"
	if err := os.WriteFile(story, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for line, c := range map[string]struct {
		code int
		want string
	}{
		"run --plain " + story:                                {exitInterrupted, "lockstep: interrupted\n"},
		"test " + filepath.Dir(story):                         {exitInterrupted, "lockstep: interrupted\n"},
		"explore hostile-channel --hazard contention":         {exitUnexpected, "INCONCLUSIVE"},
		"hunt hostile-channel --hazard contention":            {exitUnexpected, "INCONCLUSIVE"},
		"matrix --locks hostile-channel --hazards contention": {exitUnexpected, "INCONCLUSIVE"},
	} {
		t.Run(strings.Fields(line)[0], func(t *testing.T) {
			t.Parallel()
			cmd := exec.CommandContext(t.Context(), "lockstep-hostile", strings.Fields(line)...)
			cmd.Env = append(os.Environ(), "LOCKSTEP_TEST_PATIENCE=4s")
			var stdout bytes.Buffer
			cmd.Stdout = &stdout
			stderr, err := cmd.StderrPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			lines := bufio.NewReader(stderr)
			told, _ := lines.ReadString('\n')
			if err := cmd.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
			rest, _ := io.ReadAll(lines)
			_ = cmd.Wait()
			said := stdout.String() + string(rest)
			if !strings.Contains(told, "waiting a little longer") || cmd.ProcessState.ExitCode() != c.code ||
				!strings.Contains(said, c.want) || strings.Contains(said, "for 4s") {
				t.Errorf("%s: exit code %d\n%s%s", line, cmd.ProcessState.ExitCode(), told, said)
			}
		})
	}
}

// TestStopsWhenInterrupted: half a search is no pass.
func TestStopsWhenInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, line := range []string{"explore setnx --json", "matrix --locks setnx --json"} {
		var stdout, stderr bytes.Buffer
		a := newApp(strings.NewReader(""), &stdout, &stderr)
		if code := a.run(ctx, strings.Fields(line)); code != exitUnexpected || strings.Count(stdout.String(), "INCONCLUSIVE") != strings.Count(stdout.String(), "\n") {
			t.Errorf("%s: exit code %d, %s", line, code, &stdout)
		}
	}
}

// TestNoProgress: a file or a pipe gets no progress.
func TestNoProgress(t *testing.T) {
	var stderr bytes.Buffer
	a := newApp(nil, io.Discard, &stderr)
	a.progressLine(lang.New("progress"))
	a.eraseProgress()
	if stderr.Len() > 0 {
		t.Errorf("%q on what is no terminal", &stderr)
	}
	if got := bar(7, 20); got != "[#######.............]" {
		t.Errorf("7 of 20 is %s", got)
	}
}
