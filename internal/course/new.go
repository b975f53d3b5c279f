package course

import (
	"embed"
	"io/fs"
	"strings"
)

//go:embed all:template
var template embed.FS

// A File is one of a new course, or of an exercise: its path below the folder, with slashes, and its text.
type File struct{ Name, Text string }

// New is a small complete course with an id, to be written into a folder. Its
// comments are the manual of the format.
func New(id string) (files []File, err error) {
	err = fs.WalkDir(template, "template", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := template.ReadFile(name)
		if err != nil {
			return err
		}
		name = strings.TrimPrefix(name, "template/")
		if name == courseFile {
			text = []byte(strings.Replace(string(text), `"my-course"`, `"`+id+`"`, 1))
		}
		files = append(files, File{name, string(text)})
		return nil
	})
	return files, err
}

// IDOf is an id for a course in a folder of some name.
func IDOf(name string) string {
	id := strings.Trim(strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return '-'
	}, name), "-")
	if id = strings.Trim(id[:min(len(id), 60)], "-"); id == "" {
		return "my-course"
	}
	return id
}
