// Package files reads and writes files safely. Read reads a file up to a maximum
// length. Write replaces a file as a whole or not at all. ReadTOML keeps the place
// of each value, so that an error about a value names its line and column.
//
//	f, err := files.ReadTOML("course.toml", text, &data)
//	...
//	return f.At("chapter[2].lock", lang.Errorf("%q is not a lock", data.Chapter[2].Lock))
package files

import (
	"io"
	"io/fs"
	"os"

	"lockstep/internal/lang"
)

// ErrIrregular is the error for a folder, a pipe or a device.
var ErrIrregular = lang.Errorf("it is not a regular file")

// ErrLong is the error for a file that is too long.
var ErrLong = lang.Errorf("the file is longer than the limit")

// Read reads a regular file, and refuses one longer than most bytes. It follows
// symlinks.
func Read(name string, most int64) ([]byte, error) {
	return read(os.Stat, func(name string) (fs.File, error) { return os.Open(name) }, name, most)
}

// ReadFS is Read for a file of a file system.
func ReadFS(fsys fs.FS, name string, most int64) ([]byte, error) {
	return read(func(name string) (fs.FileInfo, error) { return fs.Stat(fsys, name) }, fsys.Open, name, most)
}

// read calls stat before open, since opening a named pipe waits for a writer. It
// counts the bytes that it reads, since the size in a zip can be wrong.
func read(stat func(string) (fs.FileInfo, error), open func(string) (fs.File, error), name string, most int64) ([]byte, error) {
	info, err := stat(name)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, ErrIrregular
	}
	f, err := open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(text)) > most {
		return nil, lang.Errorf("%w of %d bytes", ErrLong, most)
	}
	return text, err
}
