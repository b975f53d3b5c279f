package course

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"

	"lockstep/internal/files"
	"lockstep/internal/lang"
	"lockstep/scenarios"
	"lockstep/sim/history"
	"lockstep/strategies"
)

// The files of a course.
const (
	courseFile = "course.toml"
	levelsFile = "levels.toml"
	storiesDir = "stories"
	proseDir   = "prose"
)

// The bounds of a course. One of 45 hours in the 24 official languages of the
// European Union is within them.
const (
	maxText      = 1 << 20 // bytes of a TOML file
	maxAll       = 8 << 20 // of all files together
	maxLanguages = 40
	maxChapters  = 200
	maxStories   = 500
	maxNamed     = 100    // stories or levels of a chapter
	maxMinutes   = 10_000 // of a course or of a chapter
	maxTitle     = 200    // characters of a title or a level's name
	maxSaid      = 20_000 // of any other text
	maxLink      = 2000   // bytes
	maxMistakes  = 500    // listed errors; the rest is not checked
	format       = 1
)

// file is course.toml.
type file struct {
	Format    int
	ID        string
	Languages []string
	Minutes   int
	Chapter   []row
}

// A row is a [[chapter]].
type row struct {
	ID, Kind, Lock, Works, Breaks, Fix, Hazard, Goal, Exercise string
	Attack, Hold                                               string
	Stories, Levels                                            []string
	Minutes                                                    int
}

// Read reads the course in a folder; shown precedes the names of its files in
// errors. Errors about files are *lang.Placed. Several errors are joined and
// come with as much of the course as could be read.
func Read(fsys fs.FS, shown string) (*Course, error) {
	r := &reader{files: &metered{fsys, maxAll}, shown: shown, c: &Course{texts: map[string]*Texts{}, file: path.Join(shown, courseFile)}}
	r.course()
	return r.c, errors.Join(r.mistakes...)
}

type reader struct {
	files    fs.FS
	shown    string
	c        *Course
	mistakes []error
	// unleveled is set if the levels cannot be read.
	unleveled bool
}

func (r *reader) wrong(err error) {
	for _, one := range lang.Each(err) {
		if !r.full() {
			r.mistakes = append(r.mistakes, brief(one))
		}
	}
}

// full reports whether no more errors are listed.
func (r *reader) full() bool { return len(r.mistakes) >= maxMistakes }

// brief shortens what an error quotes.
func brief(err error) error {
	var placed *lang.Placed
	if errors.As(err, &placed) {
		return &lang.Placed{Path: placed.Path, Line: placed.Line, Col: placed.Col, Err: history.Briefly{Err: placed.Err}}
	}
	return history.Briefly{Err: err}
}

func (r *reader) fail(path, problem string, args ...any) {
	r.wrong(r.c.toml.At(path, lang.Errorf(problem, args...)))
}

// text reads a file within its bound.
func (r *reader) text(name string) ([]byte, error) {
	text, err := files.ReadFS(r.files, name, maxText)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		err = lang.At(path.Join(r.shown, name), 1, err)
	}
	return text, err
}

// course reads course.toml and what it refers to.
func (r *reader) course() {
	text, err := r.text(courseFile)
	if errors.Is(err, fs.ErrNotExist) {
		err = lang.Errorf("%s has no %s, and so is not a course; lockstep course new makes one", r.shown, courseFile)
	}
	if err != nil {
		r.wrong(err)
		return
	}
	var f file
	toml, err := files.ReadTOML(r.c.file, text, &f)
	if err != nil {
		r.wrong(r.ofAnotherFormat(text, err))
		return
	}
	r.c.toml = toml
	if !r.head(f) {
		return
	}
	r.stories()
	r.levels()
	r.chapters(f.Chapter)
	r.prose()
}

// ofAnotherFormat replaces err if the file has another format, whose keys are
// unknown.
func (r *reader) ofAnotherFormat(text []byte, err error) error {
	var head struct{ Format int }
	lenient, failed := files.PeekTOML(r.c.file, text, &head)
	if failed != nil || head.Format == 0 || head.Format == format {
		return err
	}
	return wrongFormat(lenient, head.Format)
}

func wrongFormat(at *files.TOML, read int) error {
	if read > format {
		return at.At("format", lang.Errorf("the course has format %d, which is newer than this program, which reads format %d", read, format))
	}
	return at.At("format", lang.Errorf("the course has format %d, which there is not; use format %d", read, format))
}

var (
	ids   = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,59}$`)
	langs = regexp.MustCompile(`^[a-z]{2}$`)
)

// head checks what precedes the chapters; ok is false if the rest cannot be
// checked.
func (r *reader) head(f file) (ok bool) {
	switch {
	case f.Format == 0:
		r.fail("format", "%s is missing; use for example %s", "format", fmt.Sprintf("format = %d", format))
		return false
	case f.Format != format:
		r.wrong(wrongFormat(r.c.toml, f.Format))
		return false
	}
	r.c.ID, r.c.Languages, r.c.Minutes = f.ID, f.Languages, f.Minutes
	if f.ID == "" {
		r.fail("id", "%s is missing; use for example %s", "id", `id = "my-course"`)
	} else if !ids.MatchString(f.ID) {
		r.fail("id", "%q is not an id; use up to 60 small letters, digits and dashes", f.ID)
	}
	if len(f.Languages) == 0 {
		r.fail("languages", "%s is missing; use for example %s", "languages", `languages = ["en"]`)
	}
	if len(f.Languages) > maxLanguages {
		r.fail("languages", "%d languages are too many; at most %d fit", len(f.Languages), maxLanguages)
		return false
	}
	for i, language := range f.Languages {
		at := fmt.Sprintf("languages[%d]", i)
		if !langs.MatchString(language) {
			r.fail(at, "%q is not a language; use two small letters, such as en", language)
		} else if slices.Index(f.Languages, language) < i {
			r.fail(at, "%s is said twice", language)
		}
	}
	r.minutes("minutes", f.Minutes)
	return true
}

func (r *reader) minutes(at string, n int) {
	switch {
	case n < 0:
		r.fail(at, "no number is negative")
	case n > maxMinutes:
		r.fail(at, "%d minutes are too many; at most %d fit", n, maxMinutes)
	}
}

func (r *reader) stories() {
	entries, err := fs.ReadDir(r.files, storiesDir)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil {
		r.wrong(lang.Errorf("%s: %w", path.Join(r.shown, storiesDir), err))
		return
	}
	if len(entries) > maxStories {
		r.wrong(lang.Errorf("%s has %d files; at most %d fit", path.Join(r.shown, storiesDir), len(entries), maxStories))
		return
	}
	r.c.Stories, err = scenarios.ReadFS(r.files, storiesDir, r.shown)
	r.wrong(err)
}

func (r *reader) levels() {
	text, err := r.text(levelsFile)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err == nil {
		r.c.Levels, r.c.leveled, err = scenarios.ParseLevels(path.Join(r.shown, levelsFile), text)
	}
	r.unleveled = err != nil
	r.wrong(err)
}

// lock checks the lock at a path, if there is one.
func (r *reader) lock(path, id string) (ok bool) {
	if _, ok := strategies.Find(id); ok || id == "" {
		return true
	}
	r.fail(path, "%q is not a lock; %s", id, lang.Fit(id, strategies.IDs()))
	return false
}
