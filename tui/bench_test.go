package tui

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/creack/pty"
)

// BenchmarkFirstFrame is from the start of the process to its first frame on a
// terminal: of the first screen, and of a story.
func BenchmarkFirstFrame(b *testing.B) {
	binary := filepath.Join(b.TempDir(), "lockstep")
	build := exec.Command("go", "build", "-o", binary, "..")
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	for _, c := range []struct {
		name, shows string
		args        []string
	}{
		{"locks", "Choose a lock", nil},
		{"story", "paused", []string{"run", "a_crash_between_setnx_and_expire"}},
	} {
		b.Run(c.name, func(b *testing.B) {
			state := b.TempDir()
			least := time.Hour // of a machine that has other things to do
			for b.Loop() {
				least = min(least, firstFrame(b, state, binary, c.shows, c.args...))
			}
			b.ReportMetric(float64(least.Microseconds())/1000, "ms-least")
		})
	}
}

// firstFrame starts the program on a terminal, and says how long it takes
// until it shows a text.
func firstFrame(b *testing.B, state, binary, shows string, args ...string) time.Duration {
	b.Helper()
	began := time.Now()
	cmd := exec.CommandContext(b.Context(), binary, args...)
	cmd.Env = append(os.Environ(), "TERM=xterm-256color", "LANG=en_US.UTF-8", "XDG_STATE_HOME="+state, "CI=")
	terminal, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: 80, Rows: 24})
	if err != nil {
		b.Skip(err)
	}
	defer func() { _ = terminal.Close() }()
	var seen []byte
	part := make([]byte, 1<<16)
	if err := terminal.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
		b.Log(err) // then it may hang
	}
	for !bytes.Contains(seen, []byte(shows)) {
		n, err := terminal.Read(part)
		seen = append(seen, part[:n]...)
		if err != nil {
			b.Fatalf("%v; so far:\n%s", err, seen)
		}
	}
	took := time.Since(began)
	b.StopTimer()
	if err := cmd.Process.Kill(); err != nil {
		b.Fatal(err)
	}
	_ = cmd.Wait()
	b.StartTimer()
	return took
}
