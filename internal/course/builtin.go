package course

import (
	"io/fs"
	"path"
	"sync"
)

// Builtin is the id of the course that is open where none is named.
const Builtin = "locks"

// Names are the courses that come with the program, by their ids, the usual one first.
func Names() []string {
	names := []string{Builtin}
	entries, _ := fs.ReadDir(embedded, "builtin")
	for _, e := range entries {
		if e.Name() != Builtin {
			names = append(names, e.Name())
		}
	}
	return names
}

// Named reads a course that comes with the program.
func Named(id string) (*Course, error) {
	dir := path.Join("builtin", id)
	files, err := fs.Sub(embedded, dir)
	if err != nil {
		return nil, err
	}
	return Read(files, path.Join("course", dir))
}

// Usual is the course that is open where none is named.
func Usual() (*Course, error) { return builtin() }

var builtin = sync.OnceValues(func() (*Course, error) { return Named(Builtin) })
