package course

import (
	"io/fs"

	"lockstep/internal/lang"
)

// metered bounds the bytes that can be read from all files together.
type metered struct {
	fs.FS
	left int
}

// Stat and ReadDir do not open files.
func (m *metered) Stat(name string) (fs.FileInfo, error)      { return fs.Stat(m.FS, name) }
func (m *metered) ReadDir(name string) ([]fs.DirEntry, error) { return fs.ReadDir(m.FS, name) }

func (m *metered) Open(name string) (fs.File, error) {
	f, err := m.FS.Open(name)
	if err != nil {
		return nil, err
	}
	return &meteredFile{f, m}, nil
}

type meteredFile struct {
	fs.File
	of *metered
}

func (f *meteredFile) Read(b []byte) (int, error) {
	n, err := f.File.Read(b)
	if f.of.left -= n; f.of.left < 0 {
		return 0, lang.Errorf("the course's files have more than %d bytes together, and no more fit", maxAll)
	}
	return n, err
}
