package course

import (
	"archive/zip"
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"lockstep/internal/files"
	"lockstep/internal/lang"
)

// The bounds of a zip. The sizes that it declares are not trusted; each file is
// read within the bound of its kind.
const (
	maxZip     = 8 << 20 // bytes
	maxEntries = 2000
)

// Open reads a course from a folder or a zip, or else a built-in one by name.
func Open(where string) (*Course, error) {
	fsys, closes, err := Files(where)
	if err != nil {
		return nil, err
	}
	defer closes()
	return Read(fsys, where)
}

// Files opens the files of a course until closes is called. Nothing outside its
// folder can be reached through them.
func Files(where string) (fsys fs.FS, closes func(), err error) {
	info, err := os.Stat(where)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if slices.Contains(Names(), where) {
			fsys, err = fs.Sub(embedded, "builtin/"+where)
			return fsys, func() {}, err
		}
		return nil, nil, lang.Errorf("%q is not a folder, a zip or a course that comes with the program; %s", where, lang.Fit(where, Names()))
	case err != nil:
		return nil, nil, err
	case info.IsDir():
		root, err := os.OpenRoot(where)
		if err != nil {
			return nil, nil, err
		}
		return root.FS(), func() { _ = root.Close() }, nil
	}
	packed, err := files.Read(where, maxZip)
	if err == nil {
		fsys, err = Zip(packed)
	}
	if err != nil {
		return nil, nil, lang.Errorf("%s: %w", where, err)
	}
	return fsys, func() {}, nil
}

// Zip finds the folder of a course in a zip: its root or, if that has no
// course.toml, a folder in it that has one.
func Zip(packed []byte) (fs.FS, error) {
	z, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
	if err != nil {
		return nil, lang.Errorf("it is not a zip of a course: %w", err)
	}
	if len(z.File) > maxEntries {
		return nil, lang.Errorf("the zip has %d entries; at most %d fit", len(z.File), maxEntries)
	}
	seen := map[string]bool{}
	for _, f := range z.File {
		name := strings.TrimSuffix(f.Name, "/")
		switch {
		case !fs.ValidPath(name) || strings.Contains(name, `\`):
			return nil, lang.Errorf("the zip's entry %q leads out of its folder", f.Name)
		case !f.Mode().IsRegular() && !f.Mode().IsDir():
			return nil, lang.Errorf("the zip's entry %q is neither a file nor a folder", f.Name)
		case seen[name]:
			return nil, lang.Errorf("the zip has %q twice", f.Name)
		}
		seen[name] = true
	}
	if seen[courseFile] {
		return z, nil
	}
	for _, f := range z.File { // in their order
		if dir, name := path.Split(f.Name); name == courseFile && strings.Count(dir, "/") == 1 {
			return fs.Sub(z, strings.TrimSuffix(dir, "/"))
		}
	}
	return z, nil // Read reports what is missing
}

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
