package files

import (
	"cmp"
	"os"
	"path/filepath"
)

// temporary begins the name of a Folder.
const temporary = "lockstep-tmp-"

// Folder makes a temporary folder in another one, or in the system's for "", and removes
// there those of processes that have ended without doing so. It belongs to this process,
// until remove is called.
func Folder(in string) (dir string, remove func(), err error) {
	in = cmp.Or(in, os.TempDir())
	left, _ := filepath.Glob(filepath.Join(in, temporary+"*"))
	for _, dir := range left {
		if f, err := hold(dir, false); err == nil {
			_ = os.RemoveAll(dir) // it may be somebody else's
			_ = f.Close()
		}
	}
	for {
		if dir, err = os.MkdirTemp(in, temporary); err != nil {
			return "", nil, err
		}
		f, _ := hold(dir, true) // where nobody can hold a folder, nobody removes another's
		if _, gone := os.Lstat(dir); gone == nil {
			return dir, func() {
				_ = os.RemoveAll(dir) // the next one does
				_ = f.Close()
			}, nil
		}
		_ = f.Close() // another process removed it before it was held
	}
}
