//go:build unix

package trial

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"lockstep/internal/cache"
	"lockstep/internal/testkit"
)

const envLooks = "LOCKSTEP_TEST_LOOKS" // the folder that TestLooks looks around in

// TestLooks looks, as a process of its own.
func TestLooks(t *testing.T) {
	dir := os.Getenv(envLooks)
	if dir == "" {
		t.Skip("others run it, in a process of its own")
	}
	LookAround(dir)
	LookAgain([]string{"getenv LOOKED_AT", "open " + filepath.Join(dir, "pipe"), "open " + filepath.Join(dir, "..", "none"), "stat /"})
}

// TestLook: a process looks at what tests may have looked at at their start, and again at
// what others did, so that the go command knows of it; without waiting for a pipe.
func TestLook(t *testing.T) {
	top := t.TempDir()
	dir := filepath.Join(top, "dir")
	put(t, filepath.Join(dir, "lua", "lock.lua"), "")
	put(t, filepath.Join(dir, "testdata", "lockstep", "x"), "")
	put(t, filepath.Join(dir, ".git", "HEAD"), "")
	testkit.OK(t, os.Symlink(filepath.Join(top, "away"), filepath.Join(dir, "link")))
	testkit.OK(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
	log := filepath.Join(top, "log")
	cmd := exec.Command(os.Args[0], "-test.run=^TestLooks$", "-test.testlogfile="+log)
	cmd.Env = append(os.Environ(), envLooks+"="+dir, "SEEN=1", "TMUX=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	text := testkit.Must(os.ReadFile(log))(t)
	all := strings.Split(string(text), "\n")
	for want, is := range map[string]bool{
		"getenv SEEN": true, "getenv TMUX": false, "getenv LOOKED_AT": true,
		"open " + dir: true, "open " + filepath.Join(dir, "lua"): true, "stat " + filepath.Join(dir, "link"): true,
		"open " + filepath.Join(dir, ".git"): false, "open " + filepath.Join(dir, "testdata", "lockstep"): false,
		"open " + filepath.Join(dir, "pipe"): false, "open " + filepath.Join(top, "none"): true, "stat /": true,
	} {
		if slices.Contains(all, want) != is {
			t.Errorf("%q: logged %v in\n%s", want, !is, text)
		}
	}
}

// TestAround: where there is too much around tests, what is around their packages counts;
// and where that is too much, it is unknown.
func TestAround(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "mode.txt"), "")
	if names, ok := (&Code{modules: []string{dir, "/"}, packages: []string{dir}}).around(); !ok || len(names) != 2 {
		t.Errorf("%q, %v", names, ok)
	}
	if _, ok := (&Code{modules: []string{dir, "/"}, packages: []string{dir, "/"}}).contents(); ok {
		t.Error("all files of the machine are known")
	}
	s := &Suite{Package: &Package{Dir: dir}, Code: &Code{modules: []string{"/"}, packages: []string{"/"}}, temp: dir}
	put(t, s.binary(), "")
	if s.Identify(); s.id != "" {
		t.Error("the tests are known")
	}
}

// TestSaved: watching ends at a change of what is around the tests or was read, but not
// again and again because of what the tests write.
func TestSaved(t *testing.T) {
	top := t.TempDir()
	dir, away := filepath.Join(top, "module"), filepath.Join(t.TempDir(), "away")
	put(t, filepath.Join(dir, "go.mod"), "module example.com/saved\n\ngo 1.26\n")
	work, env := filepath.Join(top, "go.work"), filepath.Join(top, "env")
	put(t, work, "go 1.26\n\nuse ./module\n")
	t.Setenv("GOENV", env)
	overlay, over := filepath.Join(top, "overlay.json"), filepath.Join(top, "over.txt")
	put(t, overlay, fmt.Sprintf(`{"Replace": {%q: %q}}`, filepath.Join(dir, "over_test.go"), over))
	put(t, over, "package saved\n")
	t.Setenv("GOFLAGS", "-overlay="+overlay)
	put(t, filepath.Join(dir, "saved_test.go"), "package saved\n")
	put(t, filepath.Join(dir, "lua", "lock.lua"), "")
	put(t, away, "")
	pkg := testkit.Must(Find(t.Context(), dir))(t)
	begun := time.Now()
	s := testkit.Must(pkg.Saved(t.Context()))(t)
	waits := func(when string, want bool) {
		t.Helper()
		over, cancel := context.WithCancel(t.Context())
		cancel()
		if s.Wait(over) == want {
			t.Errorf("%s: it waits: %v", when, !want)
		}
	}
	read := func() []cache.Read { return []cache.Read{cache.ReadNow([]string{"open " + away})} }
	s.at = begun.Add(time.Hour) // the file is as new as the snapshot
	if s.Heed(read(), false) {
		t.Error("something has changed")
	}
	waits("at first", true)
	put(t, away, "changed")
	waits("after a change outside", false)
	if s.Heed(read(), false) {
		t.Error("something has changed around the tests")
	}
	waits("then", true)
	put(t, filepath.Join(dir, "lua", "lock.lua"), "changed")
	waits("after a change below", false)
	if !s.Heed(read(), false) {
		t.Error("nothing has changed meanwhile")
	}
	waits("because of that", false)
	put(t, filepath.Join(dir, "lua", "lock.lua"), "again")
	if s.Heed(read(), true) {
		t.Error("it changes again")
	}
	waits("for the next change", true)
	for _, name := range []string{over, overlay, work, env} {
		put(t, name, "changed")
		waits("after a change of "+name, false)
		s.Heed(nil, true)
	}
	s.at = begun.Add(-time.Hour)
	if !s.Heed(read(), false) {
		t.Error("nothing outside has changed meanwhile")
	}
}
