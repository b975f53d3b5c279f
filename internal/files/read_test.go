package files_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"lockstep/internal/files"
	"lockstep/internal/testkit"
)

// liar is a file whose size says 0, as that of an entry of a zip can.
type liar struct{ fstest.MapFS }

func (l liar) Stat(name string) (fs.FileInfo, error) {
	info, err := l.MapFS.Stat(name)
	return smaller{info}, err
}

type smaller struct{ fs.FileInfo }

func (smaller) Size() int64 { return 0 }

func TestRead(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "f")
	testkit.OK(t, os.WriteFile(name, []byte("12345"), 0o600))
	if text, err := files.Read(name, 5); err != nil || string(text) != "12345" {
		t.Errorf("%q, %v", text, err)
	}
	const tooLong = "the file is longer than the limit of 4 bytes"
	if _, err := files.Read(name, 4); err == nil || err.Error() != tooLong {
		t.Errorf("%v", err)
	}
	if _, err := files.Read(dir, 5); !errors.Is(err, files.ErrIrregular) {
		t.Errorf("a folder: %v", err)
	}
	if _, err := files.Read(filepath.Join(dir, "none"), 5); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
	zipped := liar{fstest.MapFS{"f": {Data: []byte("12345")}}}
	if _, err := files.ReadFS(zipped, "f", 4); err == nil || err.Error() != tooLong {
		t.Errorf("a wrong size: %v", err)
	}
}
