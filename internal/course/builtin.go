package course

import (
	"embed"
	"io/fs"
	"path"
	"sync"

	"lockstep/scenarios"
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

//go:embed README.md README.*.md
var manuals embed.FS

// Manual returns the manual of the course format as Markdown, in English if the
// reader's language has none.
func Manual(lang string) string {
	return scenarios.InLanguage(manuals, lang)
}
