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

// Named reads a built-in course, which has no mistake: tests read them all.
func Named(id string) *Course {
	dir := path.Join("builtin", id)
	files, _ := fs.Sub(embedded, dir) // a joined path is valid
	c, err := Read(files, path.Join("course", dir))
	if err != nil {
		panic(err)
	}
	return c
}

// Usual returns the default course.
func Usual() *Course { return builtin() }

var builtin = sync.OnceValue(func() *Course { return Named(Builtin) })

//go:embed README.md README.*.md
var manuals embed.FS

// Manual returns the manual of the course format as Markdown, in English if the
// reader's language has none.
func Manual(lang string) string {
	return scenarios.InLanguage(manuals, lang)
}
