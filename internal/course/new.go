package course

import (
	"embed"
	"io/fs"
	"strings"
)

//go:embed all:template
var template embed.FS

// A File of a new course or of an exercise has a path with slashes and a text.
type File struct{ Name, Text string }

// New returns the files of a small complete course. Their comments explain the
// format.
func New(id string) (files []File) {
	_ = fs.WalkDir(template, "template", func(name string, d fs.DirEntry, _ error) error {
		if d.IsDir() {
			return nil
		}
		text, _ := template.ReadFile(name)
		name = strings.TrimPrefix(name, "template/")
		if name == courseFile {
			text = []byte(strings.Replace(string(text), `"my-course"`, `"`+id+`"`, 1))
		}
		files = append(files, File{name, string(text)})
		return nil
	})
	return files
}

// IDOf makes an id of a folder's name.
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
