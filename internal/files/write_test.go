package files_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"lockstep/internal/files"
	"lockstep/internal/testkit"
)

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "f.txt")
	for _, text := range []string{"first", "the second, which is longer", ""} {
		testkit.OK(t, files.Write(file, []byte(text), 0o640))
		got, err := os.ReadFile(file)
		if err != nil || string(got) != text {
			t.Errorf("%q, %v; want %q", got, err, text)
		}
	}
	if info, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o640 { // Windows has no such permissions
		t.Errorf("%v, %v", info, err)
	}
	alone(t, dir, "f.txt")
}

// TestCannotWrite: where the file cannot be replaced, it says why and leaves
// nothing behind.
func TestCannotWrite(t *testing.T) {
	dir := t.TempDir()
	full := filepath.Join(dir, "full") // a folder with something in it: a rename cannot replace that
	testkit.OK(t, os.MkdirAll(filepath.Join(full, "x"), 0o700))
	if err := files.Write(full, []byte("text"), 0o600); err == nil {
		t.Error("a folder was replaced")
	}
	alone(t, dir, "full")
	if err := files.Write(filepath.Join(dir, "none", "f.txt"), nil, 0o600); err == nil {
		t.Error("a file was written into a folder that is not there")
	}
}

// alone fails unless the folder has that and nothing else.
func alone(t *testing.T, dir, name string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 || entries[0].Name() != name {
		t.Errorf("%s has %v, %v", dir, entries, err)
	}
}
