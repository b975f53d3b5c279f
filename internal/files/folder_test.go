//go:build unix

package files

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"lockstep/internal/testkit"
)

// TestFolder: the folder of a process that was killed goes when the next one is made; no
// other does, and not the one of this process.
func TestFolder(t *testing.T) {
	if in := os.Getenv("LOCKSTEP_TEST_FOLDER"); in != "" {
		dir, _, err := Folder(in)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Println(dir)
		select {}
	}
	in := t.TempDir()
	other := filepath.Join(in, "other")
	testkit.OK(t, os.Mkdir(other, 0o700))
	mine, remove, err := Folder(in)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestFolder$")
	cmd.Env = append(os.Environ(), "LOCKSTEP_TEST_FOLDER="+in)
	out := testkit.Must(cmd.StdoutPipe())(t)
	testkit.OK(t, cmd.Start())
	said := bufio.NewScanner(out)
	said.Scan()
	theirs := said.Text()
	stays := func(when string, want map[string]bool) {
		t.Helper()
		_, removes, err := Folder(in)
		if err != nil {
			t.Fatal(err)
		}
		removes()
		for dir, stays := range want {
			if _, err := os.Stat(dir); (err == nil) != stays {
				t.Errorf("%s, %s: %v", when, dir, err)
			}
		}
	}
	stays("while both run", map[string]bool{mine: true, theirs: true, other: true})
	testkit.OK(t, cmd.Process.Kill())
	_ = cmd.Wait() // it was killed
	stays("after it was killed", map[string]bool{mine: true, theirs: false, other: true})
	remove()
	if _, err := os.Stat(mine); err == nil {
		t.Error("it stays")
	}
}
