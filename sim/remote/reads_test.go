package remote_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/sim/history"
	"lockstep/sim/program"
	"lockstep/sim/remote"
	"lockstep/sim/world"
)

// looks looks at a variable, and at files of the working directory and one below.
func looks() {
	_ = os.Getenv("LOOKS")
	_, _ = os.ReadFile("file")
	if err := os.Chdir("below"); err != nil {
		panic(err)
	}
	_, _ = os.Stat("other")
	if err := os.Chdir(".."); err != nil {
		panic(err)
	}
}

// TestReads: what a lock looks at is known while its process lives, and after it was
// ended, but not if it ended by itself, or there is too much.
func TestReads(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("it gives a process no files")
	}
	for id, known := range map[string]bool{"looks": true, "looks and waits": true, "looks and ends": false, "looks at too much": false, "exit": false} {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			dir := testkit.Must(filepath.EvalSymlinks(t.TempDir()))(t)
			testkit.OK(t, os.Mkdir(filepath.Join(dir, "below"), 0o700))
			command := serving(id, func(cmd *exec.Cmd) { cmd.Dir = dir })
			h := remote.NewPool(command, nil)
			if id == "looks" {
				h = remote.NewPool(command, command)
			}
			defer h.Close()
			if reads, ok := h.Reads(); len(reads) > 0 || !ok {
				t.Errorf("before the first process: %q, %v", reads, ok)
			}
			c := history.Default()
			c.Strategy = "set-lua"
			w := testkit.Must(world.New(c, program.Subject{Nodes: 1, Start: h.Start}))(t)
			_ = w.Perform(w.Enabled(history.Action{Verb: history.Step})[0]) // most get stuck
			reads, ok := h.Reads()
			if ok != known {
				t.Errorf("known: %v", ok)
			}
			for _, want := range []string{"getenv LOOKS", "open " + filepath.Join(dir, "file"), "stat " + filepath.Join(dir, "below"), "stat " + filepath.Join(dir, "below", "other")} {
				if known && !slices.Contains(reads, want) {
					t.Errorf("%q is not in %q", want, reads)
				}
			}
			w.Close()
			if id != "looks" {
				return
			}
			testkit.OK(t, h.Adapt())
			if reads, ok := h.Reads(); len(reads) > 0 || !ok {
				t.Errorf("of other code: %q, %v", reads, ok)
			}
		})
	}
}
