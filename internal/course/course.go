package course

import (
	"cmp"
	"slices"

	"lockstep/internal/files"
	"lockstep/internal/prose"
	"lockstep/scenarios"
)

// A Course is chapters in teaching order, with what belongs to them. It is never
// changed after it is read.
type Course struct {
	ID        string
	Languages []string
	Minutes   int // of all of it; 0 if nobody has said
	Chapters  []Chapter
	Stories   []*scenarios.Story // its own
	Levels    []scenarios.Level  // its own

	texts        map[string]*Texts // by language, what one lacks in another one
	own          map[string]said   // the same as each file has it
	untranslated []error           // what a language lacks
	file         string            // course.toml, for messages
	toml         *files.TOML       // the same as it was read
	leveled      *files.TOML       // levels.toml
}

// A Chapter of a course is about one lock, or about anything else.
type Chapter struct {
	ID   string
	Kind string // Core or Extra
	Lock string // its id; "" if the chapter is about none in particular

	Works    *scenarios.Story   // shows the lock at work; nil if nothing of it works
	Breaks   *scenarios.Story   // shows it break; nil if nothing of the kind is to be shown
	Fix      string             // the lock that gets the same schedule; "" if none does
	Stories  []*scenarios.Story // others that are played, as they are
	Hazard   string             // under which a learner tries the lock, and its fix ...
	Goal     string             // ... and the invariant to break then
	Try      []string           // ids of other levels
	Exercise string             // the lock that a learner mends at home; "" for none
	Minutes  int                // 0 if nobody has said
	Closing  bool               // there is something to read at its end
}

// Kinds of chapters: what an agenda gives up last, and first.
const (
	Core  = "core"
	Extra = "extra"
)

// Texts are what a course says in one language.
type Texts struct {
	Title   string
	About   string
	Chapter map[string]Text        // by chapter
	Level   map[string]prose.Level // by level
}

// A Text is what a course says of one chapter. A field may be empty: a chapter
// with a lock has a title and an about all the same, those of the lock.
type Text struct {
	Title    string
	About    string // what it is about, or what the lock claims
	Question string // for everybody to think about before they go on ...
	Answer   string // ... and what there is to say of it at the end
	After    string // what the lock's fix makes of the same schedule
	Remember string
	Notes    string // for the trainer
}

// FixLevels are the ids of the levels that a learner tries against the chapter's
// lock and against the one that fixes it, under the same hazard.
func (c *Chapter) FixLevels() (ids []string) {
	for _, lock := range []string{c.Lock, c.Fix} {
		if lock != "" && c.Hazard != "" {
			ids = append(ids, scenarios.ProvedID(lock, c.Hazard, c.Goal))
		}
	}
	return ids
}

// Levels are the ids of all levels of the chapter.
func (c *Chapter) Levels() []string { return append(c.FixLevels(), c.Try...) }

// Plays are all stories of the chapter.
func (c *Chapter) Plays() []*scenarios.Story {
	shown := slices.DeleteFunc([]*scenarios.Story{c.Works, c.Breaks}, func(s *scenarios.Story) bool { return s == nil })
	return append(shown, c.Stories...)
}

// Title is what the course is called, by its id if it says nothing.
func (c *Course) Title(lang string) string { return cmp.Or(c.in(lang).Title, c.ID) }

// About says in a language what the course is about.
func (c *Course) About(lang string) string { return c.in(lang).About }

// Text is what the course says of a chapter in a language.
func (c *Course) Text(lang, chapter string) Text { return c.in(lang).Chapter[chapter] }

// in returns the texts of a language or, where the course has not that one, those
// that the others fall back to.
func (c *Course) in(lang string) *Texts {
	if t := c.texts[lang]; t != nil {
		return t
	}
	if t := c.texts[c.base()]; t != nil {
		return t
	}
	return &Texts{}
}

// base is the language that others fall back to: English, or else the first.
func (c *Course) base() string {
	if slices.Contains(c.Languages, "en") || len(c.Languages) == 0 {
		return "en"
	}
	return c.Languages[0]
}
