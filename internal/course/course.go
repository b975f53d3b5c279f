// Package course reads courses. A course is a folder: chapters in course.toml,
// stories, levels, and texts in its languages. builtin/ holds the built-in
// courses, which the same code reads.
//
// Open reads a course from a folder, a zip or by name; Read from any fs.FS;
// Check plays it and checks its claims; New writes one; ExerciseFiles writes a
// lock to be mended.
package course

import (
	"cmp"
	"slices"

	"lockstep/internal/files"
	"lockstep/internal/prose"
	"lockstep/scenarios"
)

// A Course is chapters in teaching order, with their stories, levels and texts.
// It is immutable.
type Course struct {
	ID        string
	Languages []string
	Minutes   int // its length; 0 if unknown
	Chapters  []Chapter
	Stories   []*scenarios.Story // its own
	Levels    []scenarios.Level  // its own

	texts        map[string]*Texts // by language, with fall-backs
	own          map[string]said   // the texts of each file
	untranslated []error           // the missing texts
	file         string            // the name of course.toml, for errors
	toml         *files.TOML       // that file, as read
	leveled      *files.TOML       // levels.toml
}

// A Chapter is about a lock or anything else.
type Chapter struct {
	ID   string
	Kind string // Core or Extra
	Lock string // its id; "" if the chapter is about none in particular

	Works    *scenarios.Story   // shows the lock at work; can be nil
	Breaks   *scenarios.Story   // shows it break; can be nil
	Fix      string             // the lock to play the same schedule with; "" for none
	Stories  []*scenarios.Story // other stories, with their own locks
	Attack   string             // id of the level against the lock; "" for none
	Hold     string             // id of the level against its fix; "" for none
	Try      []string           // ids of other levels
	Exercise string             // the lock of the exercise; "" for none
	Minutes  int                // 0 if unknown
	Closing  bool               // it has a text for its end
}

// The kinds of chapters: those that a class needs, and those that it leaves out where time
// is short.
const (
	Core  = "core"
	Extra = "extra"
)

// Texts are the texts of a course in one language.
type Texts struct {
	Title   string
	About   string
	Chapter map[string]Text        // by chapter
	Level   map[string]prose.Level // by level

	plain func() *Texts // the same without markup; nil for no texts
}

// A Text is the texts of one chapter. Fields can be empty; a chapter with a lock
// then shows what is said of the lock: its title, its claim, where it breaks, what fixes it.
type Text struct {
	Title    string
	About    string // what it is about, or what the lock claims
	Question string // a question at its beginning ...
	Answer   string // ... and its answer at the end
	Breaks   string // where the lock breaks in this chapter ...
	Fix      string // ... and what fixes it there
	After    string // about the fix under the same schedule
	Remember string
	Notes    string // for the trainer
}

// Levels returns the ids of the chapter's levels.
func (c *Chapter) Levels() []string {
	own := slices.DeleteFunc([]string{c.Attack, c.Hold}, func(id string) bool { return id == "" })
	return append(own, c.Try...)
}

// Playable returns the course's own levels and the proved ones, with what the course
// says about them.
func (c *Course) Playable() []scenarios.Level {
	proved := slices.Clone(scenarios.ProvedLevels())
	for i := range proved {
		c.say(&proved[i])
	}
	return slices.Concat(c.Levels, proved)
}

// say sets the texts of a level.
func (c *Course) say(l *scenarios.Level) {
	l.Texts = map[string]prose.Level{}
	for language, t := range c.texts {
		l.Texts[language] = t.Level[l.ID]
	}
}

// Plays returns the chapter's stories in their order. Whether a lock is seen at work before it
// breaks differs from chapter to chapter: the place of a run must not tell how it ends.
func (c *Chapter) Plays() []*scenarios.Story {
	shown := []*scenarios.Story{c.Works, c.Breaks}
	if len(c.ID)%2 == 0 {
		slices.Reverse(shown)
	}
	shown = slices.DeleteFunc(shown, func(s *scenarios.Story) bool { return s == nil })
	return append(shown, c.Stories...)
}

// Title is the course's title, or else its id.
func (c *Course) Title(lang string) string { return cmp.Or(c.in(lang).Title, c.ID) }

// About is the course's description in a language.
func (c *Course) About(lang string) string { return c.in(lang).About }

// Text returns the texts of a chapter in a language.
func (c *Course) Text(lang, chapter string) Text { return c.in(lang).Chapter[chapter] }

// in returns the texts of a language, or else those of the base language.
func (c *Course) in(lang string) *Texts {
	if t := c.texts[lang]; t != nil {
		return t
	}
	if t := c.texts[c.base()]; t != nil {
		return t
	}
	return &Texts{}
}

// base is the language that others fall back to: English, or else the first one.
func (c *Course) base() string {
	if slices.Contains(c.Languages, "en") || len(c.Languages) == 0 {
		return "en"
	}
	return c.Languages[0]
}
