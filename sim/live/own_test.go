//go:build unix

package live

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lockstep/internal/testkit"
)

// TestKeeper: when its input ends, the last group has ended with all its
// processes, and the folder is gone.
func TestKeeper(t *testing.T) {
	for _, released := range []bool{false, true} {
		t.Run(fmt.Sprint("released ", released), func(t *testing.T) {
			server := exec.Command("sh", "-c", "sleep 600 & echo up; sleep 600")
			detach(server)
			out, err := server.StdoutPipe()
			if err == nil {
				err = server.Start()
			}
			testkit.OK(t, err)
			defer func() { killGroup(server.Process); _ = server.Wait() }()
			testkit.Must(io.ReadFull(out, make([]byte, len("up\n"))))(t)
			dir := filepath.Join(t.TempDir(), "its folder")
			testkit.OK(t, os.Mkdir(dir, 0o700))
			input := fmt.Sprintln(server.Process.Pid)
			if released {
				input += "\n"
			}
			ended := make(chan bool)
			go func() {
				_, _ = io.Copy(io.Discard, out) // until every holder has ended
				_ = server.Wait()
				close(ended)
			}()
			keeper := exec.Command("sh", "-c", keeperScript, "lockstep", dir)
			keeper.Stdin = strings.NewReader(input)
			testkit.OK(t, keeper.Run())
			if _, err := os.Stat(dir); !os.IsNotExist(err) {
				t.Errorf("of the folder: %v", err)
			}
			select {
			case <-ended:
				if released {
					t.Error("a group that was not named any more was ended")
				}
			case <-time.After(map[bool]time.Duration{false: 10 * time.Second, true: 10 * time.Millisecond}[released]):
				if !released {
					t.Error("a part of the group is left")
				}
				killGroup(server.Process)
				<-ended
			}
		})
	}
}

// TestObedient: a server does not start if its starter dies before the keeper
// knows it.
func TestObedient(t *testing.T) {
	file := filepath.Join(t.TempDir(), "begun")
	for _, input := range []string{"", "\n"} {
		cmd := exec.Command("sh", "-c", starterScript, "lockstep", "touch", file)
		cmd.Stdin = strings.NewReader(input)
		_ = cmd.Run() // its exit code means nothing
		if _, err := os.Stat(file); (err == nil) != (input != "") {
			t.Errorf("says %q: %v", input, err)
		}
	}
}

// script puts a script named redis-server on the PATH, in the folder that it
// returns. A real server replaces %s in the script.
func script(t *testing.T, text string) (dir string) {
	t.Helper()
	if strings.Contains(text, "%s") {
		binary, err := exec.LookPath("redis-server")
		if err != nil {
			t.Skip(ErrNoRedisServer)
		}
		text = fmt.Sprintf(text, binary)
	}
	dir = t.TempDir()
	testkit.OK(t, os.WriteFile(filepath.Join(dir, "redis-server"), []byte("#!/bin/sh\n"+text+"\n"), 0o700))
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	return dir
}

// TestWrapped: a script around a redis-server starts, and ends with all that it
// has started.
func TestWrapped(t *testing.T) {
	script(t, `%s "$@"; echo over`)
	s := testkit.Must(Start(t.Context()))(t)
	defer s.Stop()
	s.process.kill()
	if _, err := dial(t.Context(), s.target); err == nil {
		t.Error("it still answers")
	}
	if err := s.process.run(t.Context()); err != nil { // its port is free
		t.Error(err)
	}
}

// TestWrappedElsewhere: a server that a script starts in another process group
// still ends with the keeper.
func TestWrappedElsewhere(t *testing.T) {
	if _, err := os.Stat("/proc/self/cwd"); err != nil {
		t.Skip("no /proc to look for processes in")
	}
	script(t, `setsid %s "$@" & wait`)
	s := testkit.Must(Start(t.Context()))(t)
	w := testkit.Must(dial(t.Context(), s.target))(t)
	defer w.close()
	s.Stop()
	if _, err := w.ask("PING"); err == nil {
		_, _ = w.ask("SHUTDOWN", "NOSAVE") // it does not reply
		t.Error("it still answers")
	}
}

// TestNoServerComesUp: redis-server is not a server, and the error has its last
// words.
func TestNoServerComesUp(t *testing.T) {
	dir := script(t, "printf '%0999d' 1; echo no port >&2")
	t.Setenv("TMPDIR", dir)
	if _, err := Start(t.Context()); err == nil || errors.Is(err, ErrNoRedisServer) || !strings.Contains(err.Error(), "no port") || len(err.Error()) > 600 {
		t.Errorf("%v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "lockstep-*")); len(left) > 0 {
		t.Errorf("%q are left", left)
	}
}
