package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Write gives the file that text and those permissions. What was there is replaced;
// where it cannot be, it stays as it is, and nothing is left beside it.
func Write(path string, text []byte, mode fs.FileMode) error {
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if err == nil {
		err = errors.Join(file.Chmod(mode), file.Sync())
	}
	err = errors.Join(err, file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		_ = os.Remove(file.Name()) // the first error counts
	}
	return err
}
