package web

import (
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"lockstep/internal/course"
	"lockstep/internal/diagram/vector"
	"lockstep/internal/export"
	"lockstep/internal/files"
	"lockstep/internal/gotool"
	"lockstep/internal/lang"
	"lockstep/internal/palette"
	"lockstep/internal/phrase"
	"lockstep/internal/prose"
	"lockstep/internal/web/engine"
	"lockstep/scenarios"
	"lockstep/sim/explore"
	"lockstep/strategies"
	"lockstep/tui/pages"
)

//go:embed static
var static embed.FS

// A Site is the files of a site, by name.
type Site map[string][]byte

// Frames returns the files of a page that shows frames and has no engine: its style sheet, the
// script that draws frames, and the one that presses keys.
func Frames() Site {
	site := Site{}
	site.take("style.css", "draw.js", "keys.js")
	site["style.css"] = append([]byte(palette.CSS()+vector.CSS), site["style.css"]...)
	return site
}

// take puts in files that are embedded.
func (s Site) take(names ...string) {
	for _, name := range names {
		s[name], _ = static.ReadFile("static/" + name)
	}
}

// Build compiles the engine from Lockstep's source and adds the other files of a
// site, but for those that TakeCourse puts there. It downloads only the modules in go.mod.
func Build(ctx context.Context, source string) (Site, error) {
	compiled, err := compile(ctx, source)
	if err != nil {
		return nil, err
	}
	root, err := goCommand(ctx, source, "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	support, err := os.ReadFile(filepath.Join(root, "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return nil, lang.Errorf("the JavaScript that comes with Go: %w", err)
	}
	return assemble(compiled, support), nil
}

// assemble adds the other files to an engine.
func assemble(compiled, support []byte) Site {
	site := Frames()
	site.take("app.js", "worker.js", "offline.js")
	// One function, so that a page that cannot fetch makes a worker of its text.
	worker := [][]byte{[]byte("function lockstepWorker() {\n"), support, site["worker.js"], []byte("}\n")}
	site["worker.js"] = bytes.Join(worker, nil)
	site["engine.bin"] = Compressed(compiled)
	site["app.js"] = append(fmt.Appendf(nil, "const engineSize = %d;\n", len(site["engine.bin"])), site["app.js"]...)
	site["engine.js"] = script("lockstepEngine", site["engine.bin"])
	return site
}

func compile(ctx context.Context, source string) ([]byte, error) {
	dir, remove, err := files.Folder("")
	if err != nil {
		return nil, err
	}
	defer remove()
	file := filepath.Join(dir, "engine.wasm")
	if _, err := goCommand(ctx, source, "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", file, "./internal/web/wasm"); err != nil {
		return nil, err
	}
	return os.ReadFile(file)
}

// goCommand runs the go command for a browser and returns what it prints.
func goCommand(ctx context.Context, dir string, args ...string) (string, error) {
	out, err := gotool.Run(ctx, dir, []string{"GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0", "GOFLAGS="}, args...)
	var failed *gotool.Error
	switch {
	case errors.Is(err, exec.ErrNotFound):
		err = lang.Errorf("the site is compiled by the go command, which is not there")
	case errors.As(err, &failed):
		err = lang.Errorf("go %s: %w", args[0], err)
	}
	return strings.TrimSpace(string(out)), err
}

// TakeCourse puts a course into the site, with the first frames: a folder, a zip, or a
// built-in one by name; "" is the usual one, which the engine has. It reads the course
// once, to find errors.
func (s Site) TakeCourse(ctx context.Context, where string) error {
	c, packed, err := Packed(where)
	if err != nil {
		return err
	}
	id := c.ID
	if packed == nil {
		id = ""
	}
	s["course.js"] = fmt.Appendf(script("lockstepCourse", packed), "globalThis.lockstepCourseID=%q;\n", id)
	if err := s.takeFirst(ctx, c, packed); err != nil {
		return err
	}
	if packed == nil { // it is long: a short one has its best stories
		c = course.Named("redis-locks-in-an-hour")
	}
	for _, language := range prose.Languages() {
		if err := s.takeReading(ctx, c, language); err != nil {
			return err
		}
	}
	return nil
}

// A readPage is the first page for a reader without JavaScript.
type readPage struct {
	Lang      string
	Languages []string
	Locks     []strategies.Info
	Stories   []told
}

// A told is a story as a page of its own.
type told struct{ Lock, File, Title string }

// takeReading puts in the first page in a language, and what it leads to without
// JavaScript: the stories of a course as pages, and a picture of the first that fails.
func (s Site) takeReading(ctx context.Context, c *course.Course, language string) error {
	book := prose.Load(language)
	r := readPage{Lang: language, Languages: prose.Languages(), Locks: strategies.Catalogue()}
	for i := range c.Chapters {
		for _, story := range c.Chapters[i].Plays() {
			result, err := scenarios.Run(ctx, story)
			if err != nil {
				return err
			}
			l, err := export.NewLesson(ctx, export.Told{Lang: language, Site: first(language)}, story, result)
			if err != nil {
				return err
			}
			file := story.Name + "." + language
			if s[file+".html"], err = l.HTML(); err != nil {
				return err
			}
			if s[language+".svg"] == nil && len(l.Violations) > 0 {
				if s[language+".svg"], err = l.SVG(export.Options{}); err != nil {
					return err
				}
			}
			r.Stories = append(r.Stories, told{story.Strategy(), file + ".html", l.Title})
		}
	}
	page, _ := static.ReadFile("static/index.html")
	text, err := phrase.NewPage("index.html", string(page), html.EscapeString, map[string]any{"first": first, "text": book.Text, "lock": book.Lock}).Fill(r)
	s[first(language)] = []byte(text)
	return err
}

// first returns the file of the first page in a language.
func first(language string) string {
	if language == prose.Languages()[0] {
		return "index.html"
	}
	return language + ".html"
}

// TakeMatrix puts cells of the matrix into a site that has its course, with the program
// that has made them.
func (s Site) TakeMatrix(cells []explore.Report, made string) error {
	text, err := json.Marshal(cells)
	s["matrix.js"] = script("lockstepMatrix", Compressed(text))
	s["course.js"] = fmt.Appendf(s["course.js"], "globalThis.lockstepMade=%q;\n", made)
	return err
}

// script hands bytes to the page.
func script(name string, bytes []byte) []byte {
	return fmt.Appendf(nil, "globalThis.%s=%q;\n", name, base64.StdEncoding.EncodeToString(bytes))
}

// Packed returns a course, and its files as a zip for engine.Start: the usual course, and
// nil, for "".
func Packed(where string) (c *course.Course, packed []byte, err error) {
	if where == "" {
		return course.Usual(), nil, nil
	}
	all, closes, err := course.Files(where)
	if err != nil {
		return nil, nil, err
	}
	defer closes()
	files := reading{all, map[string]bool{}}
	if c, err = course.Read(files, where); err == nil {
		packed, err = pack(files)
	}
	return c, packed, err
}

// reading remembers the names of what is opened.
type reading struct {
	fs.FS
	names map[string]bool
}

func (r reading) Open(name string) (fs.File, error) {
	r.names[name] = true
	return r.FS.Open(name)
}

// byCode returns frames as a JSON object, those with the same code side by side: what
// compresses them looks back 32 KB only.
func byCode(frames map[string]*pages.Frame) ([]byte, error) {
	code := func(place string) string { return frames[place].Section(pages.CodeSection).Title }
	places := slices.SortedFunc(maps.Keys(frames), func(a, b string) int {
		return cmp.Or(strings.Compare(code(a), code(b)), strings.Compare(a, b))
	})
	text := []byte("{")
	for i, place := range places {
		name, err := json.Marshal(place)
		if err != nil {
			return nil, err
		}
		frame, err := json.Marshal(frames[place])
		if err != nil {
			return nil, err
		}
		if i > 0 {
			text = append(text, ',')
		}
		text = append(append(append(text, name...), ':'), frame...)
	}
	return append(text, '}'), nil
}

// takeFirst puts first frames in each language into the site, which a reader has while the
// engine loads: that of a visit without an address in a script, and those of addresses
// in a file for each kind of address.
func (s Site) takeFirst(ctx context.Context, c *course.Course, packed []byte) error {
	places, err := engine.Places(ctx, c)
	if err != nil {
		return err
	}
	home := map[string]*pages.Frame{}
	for _, lang := range prose.Languages() {
		kinds := map[string]map[string]*pages.Frame{}
		for _, place := range places {
			frame, err := engine.First(ctx, engine.Start{Lang: lang, Course: packed, Place: place, Still: true})
			if err != nil {
				return err
			}
			if place == "" {
				home[lang] = frame
				continue
			}
			kind, _, ok := strings.Cut(place, ":")
			if !ok {
				kind = "story"
			}
			if kinds[kind] == nil {
				kinds[kind] = map[string]*pages.Frame{}
			}
			kinds[kind][place] = frame
		}
		for kind, frames := range kinds {
			text, err := byCode(frames)
			if err != nil {
				return err
			}
			s["first."+kind+"."+lang+".bin"] = Compressed(text)
		}
	}
	text, err := json.Marshal(home) // which writes < as \u003c
	s["first.js"] = fmt.Appendf(nil, "globalThis.lockstepFirst=%s;\n", text)
	return err
}

// Compressed is a text by gzip, as small as it gets.
func Compressed(text []byte) []byte {
	var out bytes.Buffer                                    // takes everything
	w, _ := gzip.NewWriterLevel(&out, gzip.BestCompression) // the level is valid
	_, _ = w.Write(text)
	_ = w.Close()
	return out.Bytes()
}

// pack makes a deterministic zip of files.
func pack(files reading) ([]byte, error) {
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, name := range slices.Sorted(maps.Keys(files.names)) {
		if info, err := fs.Stat(files.FS, name); err != nil || !info.Mode().IsRegular() {
			continue // it was looked for, or is a folder
		}
		text, err := fs.ReadFile(files.FS, name)
		if err != nil {
			return nil, err
		}
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write(text)
		}
		if err != nil {
			return nil, err
		}
	}
	err := z.Close()
	return out.Bytes(), err
}
