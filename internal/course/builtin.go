package course

import (
	"io/fs"
	"path"
	"sync"
)

// Builtin is the id of the default course.
const Builtin = "locks"

// Names lists the ids of the built-in courses, the default one first.
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

// Named reads a built-in course.
func Named(id string) (*Course, error) {
	dir := path.Join("builtin", id)
	files, err := fs.Sub(embedded, dir)
	if err != nil {
		return nil, err
	}
	return Read(files, path.Join("course", dir))
}

// Usual returns the default course.
func Usual() (*Course, error) { return builtin() }

var builtin = sync.OnceValues(func() (*Course, error) { return Named(Builtin) })
