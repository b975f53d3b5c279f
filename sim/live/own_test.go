//go:build unix

package live

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// TestLeash: the shell ends the server with the one that started it, even if
// that one died before it read the server's pid, and leaves no folder unless
// asked to.
func TestLeash(t *testing.T) {
	for _, test := range []struct {
		says  string
		stays bool
	}{{"", false}, {"keep\n", true}} {
		dir := filepath.Join(t.TempDir(), "its folder")
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		pidFile := filepath.Join(t.TempDir(), "pid")
		server := "echo $$ >'" + pidFile + "'\nexec sleep 600\n"
		if err := os.WriteFile(filepath.Join(dir, configName), []byte(server), 0o600); err != nil {
			t.Fatal(err)
		}
		read, write, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		_ = read.Close() // nobody will read the pid
		cmd := exec.Command("sh", "-c", leashed, "lockstep", "sh", dir)
		cmd.Stdin, cmd.Stdout = strings.NewReader(test.says), write
		err = cmd.Run()
		_ = write.Close()
		if exit := cmd.ProcessState; exit == nil || exit.Sys().(syscall.WaitStatus).Signaled() {
			t.Errorf("says %q: the shell ends by %v, %v", test.says, exit, err)
		}
		if text, err := os.ReadFile(pidFile); err == nil { // or it was ended before it said so
			if pid, err := strconv.Atoi(strings.TrimSpace(string(text))); err != nil || alive(pid) {
				t.Errorf("says %q: the server %q is left, %v", test.says, text, err)
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		}
		if _, err := os.Stat(dir); (err == nil) != test.stays {
			t.Errorf("says %q: of the folder: %v", test.says, err)
		}
	}
}
