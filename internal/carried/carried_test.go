package carried

import (
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
	"time"

	"lockstep/internal/cache"
	"lockstep/internal/testkit"
)

const (
	whole = "module lockstep\n\ngo 1.26.0\n\nrequire (\n\ta.b/c v1.0.0 // locktest\n\ta.b/d v1.0.0\n\ta.b/best v1.0.0 // the best\n)\n\nrequire (\n\ta.b/e v1.0.0 // indirect; locktest\n\ta.b/f v1.0.0 // indirect\n)\n"
	less  = "module lockstep\n\ngo 1.26.0\n\nrequire (\n\ta.b/c v1.0.0 // locktest\n)\n\nrequire (\n\ta.b/e v1.0.0 // indirect; locktest\n)\n"
)

// TestKept: the source is as the program has it, whatever somebody did to it, but for the
// modules that a test of a lock does without. Another source has another folder, and one
// that was not used for long goes; nothing else does.
func TestKept(t *testing.T) {
	beside := filepath.Join(t.TempDir(), "cache")
	t.Setenv(cache.Env, beside)
	t.Cleanup(func() { Tree = nil })
	if _, err := Kept(); err == nil {
		t.Error("there is a source, and nobody has one")
	}
	Tree = fstest.MapFS{"go.mod": {Data: []byte(whole)}, "sim/a.go": {Data: []byte("package sim\n")}}
	dir := testkit.Must(Kept())(t)
	has := func(name, want string) {
		t.Helper()
		if text, err := os.ReadFile(filepath.Join(dir, name)); string(text) != want {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
	}
	has("go.mod", less)
	testkit.OK(t, os.WriteFile(filepath.Join(dir, "sim", "a.go"), nil, 0o600))
	if again := testkit.Must(Kept())(t); again != dir {
		t.Errorf("%s, then %s", dir, again)
	}
	has("sim/a.go", "package sim\n")

	foreign := filepath.Join(beside, "foreign")
	testkit.OK(t, os.Mkdir(foreign, 0o700))
	for _, name := range []string{dir, foreign} {
		testkit.OK(t, os.Chtimes(name, time.Time{}, time.Now().Add(-2*cache.MaxUnused)))
	}
	Tree = fstest.MapFS{"go.mod": {Data: []byte(whole)}, "sim/a.go": {Data: []byte("package sim // newer\n")}}
	if newer := testkit.Must(Kept())(t); newer == dir {
		t.Error("two sources have one folder")
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("what was not used for long is there")
	}
	if _, err := os.Stat(foreign); err != nil {
		t.Error(err)
	}
}
