package trial

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// TestLeftBehind: the folder of a process that has ended goes, once it is old; no other
// does.
func TestLeftBehind(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	t.Setenv("TMP", temp)
	ended := exec.Command(os.Args[0], "-test.run=^$")
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}
	gone := ended.Process.Pid
	stays := map[string]bool{
		fmt.Sprintf("%s%d-1", folder, gone):        false,
		fmt.Sprintf("%s%d-1", folder, os.Getpid()): true,
		folder + "mine": true,
		"other":         true,
	}
	old := time.Now().Add(-2 * staleAge)
	for name := range stays {
		dir := filepath.Join(temp, name)
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(dir, old, old); err != nil {
			t.Fatal(err)
		}
	}
	young := filepath.Join(temp, fmt.Sprintf("%s%d-2", folder, gone))
	if err := os.Mkdir(young, 0o700); err != nil {
		t.Fatal(err)
	}
	stays[filepath.Base(young)] = true
	if _, err := makeFolder(); err != nil {
		t.Fatal(err)
	}
	for name, want := range stays {
		if _, err := os.Stat(filepath.Join(temp, name)); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
}
