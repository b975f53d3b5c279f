package scenarios

import (
	"embed"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"sync"

	"lockstep/internal/files"
	"lockstep/internal/lang"
)

const storyEnding = ".txt"

//go:embed stories/*.txt
var embedded embed.FS

// Stories returns the built-in stories, ordered by name.
func Stories() []*Story { return stories() }

var stories = sync.OnceValue(func() (all []*Story) {
	for _, name := range slices.Sorted(maps.Keys(byName())) {
		all = append(all, byName()[name]())
	}
	return all
})

// byName reads a built-in story when it is first asked for.
var byName = sync.OnceValue(func() map[string]func() *Story {
	all := map[string]func() *Story{}
	entries, _ := fs.ReadDir(embedded, "stories")
	for _, e := range entries {
		name := strings.TrimSuffix(e.Name(), storyEnding)
		all[name] = sync.OnceValue(func() *Story {
			return whole(read(embedded, "stories", "scenarios", name))
		})
	}
	return all
})

// whole is what the program has in itself and cannot be wrong: tests read it.
func whole[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Find returns the built-in story of the given name.
func Find(name string) (*Story, error) {
	if story, known := byName()[name]; known {
		return story(), nil
	}
	return nil, lang.Errorf("%q is not a story; lockstep list names them all", name)
}

// ReadDir reads every .txt file of a folder as a story. It returns the stories that
// parse together with the errors of the others.
func ReadDir(dir string) ([]*Story, error) {
	info, err := os.Stat(dir)
	switch {
	case err != nil:
		return nil, err
	case !info.IsDir():
		return nil, lang.Errorf("%s is a file; use a folder of stories", dir)
	}
	stories, err := ReadFS(os.DirFS(dir), ".", dir)
	if err == nil && len(stories) == 0 {
		return nil, lang.Errorf("%s has no story: no file in it ends in .txt", dir)
	}
	return stories, err
}

// ReadFS is ReadDir in a file system; messages show paths with the prefix.
func ReadFS(fsys fs.FS, dir, prefix string) ([]*Story, error) {
	entries, err := fs.ReadDir(fsys, dir)
	if err != nil {
		return nil, err
	}
	var stories []*Story
	var failed []error
	for _, entry := range entries {
		name, ok := strings.CutSuffix(entry.Name(), storyEnding)
		if !ok || entry.IsDir() {
			continue
		}
		s, err := read(fsys, dir, prefix, name)
		if err != nil {
			failed = append(failed, err)
			continue
		}
		stories = append(stories, s)
	}
	return stories, errors.Join(failed...)
}

func read(fsys fs.FS, dir, prefix, name string) (*Story, error) {
	file := path.Join(dir, name+storyEnding)
	shown := path.Join(prefix, file)
	text, err := files.ReadFS(fsys, file, maxStory)
	if err != nil {
		return nil, lang.At(shown, 1, err)
	}
	return Parse(shown, name, string(text))
}

//go:embed README.md README.*.md
var manuals embed.FS

// Manual describes the language of stories as Markdown, in the given language or in
// English.
func Manual(lang string) string { return InLanguage(manuals, lang) }

// InLanguage returns the README of a folder in a language, or in English.
func InLanguage(manuals embed.FS, lang string) string {
	text, err := manuals.ReadFile("README." + lang + ".md")
	if err != nil {
		text, _ = manuals.ReadFile("README.md")
	}
	return string(text)
}
