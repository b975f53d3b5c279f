package pages

import (
	"cmp"
	"context"
	"slices"

	"lockstep/internal/lesson"
	"lockstep/internal/progress"
	"lockstep/internal/prose"
	"lockstep/scenarios"
	"lockstep/sim/history"
	"lockstep/strategies"
	"lockstep/tui/render"
)

// shared is the state that all pages share: texts and theme, stories, and what outlives
// a page. Only the shell changes the size.
type shared struct {
	render.Theme
	lang   string
	still  bool // playing takes no time
	glides bool // messages take a moment to cross the lanes

	width, height int

	stories   []*scenarios.Story
	own       *scenarios.Story        // the learner's own; nil if it is one of those
	nameless  *scenarios.Story        // no command opens it again by its name
	clipboard func(text string) error // asks the terminal to copy; nil for no terminal
	run       func(context.Context, *scenarios.Story) (*scenarios.Result, error)
	against   func(context.Context, *scenarios.Story, string) (*scenarios.Result, error) // runs it with another lock
	explain   teller
	with      string                            // the package of locks that are not of the catalogue; "" for none
	source    func(file string) (string, error) // of a lock that is not of the catalogue; nil for none
	stuck     []Stuck
	browser   bool // the face is one
	keyWaits  bool // a key was pressed that waits for something
	pane      pane // which was chosen last where a story is played

	course  *courseState
	courses []Choice
	board   *board
	levels  *levels
	game    *game // nil until something is taken over

	progress progress.Progress
	store    *progress.Store

	talk *talk // nil while nobody presents
}

// readStories reads the stories of the library and of the course.
func (s *shared) readStories() {
	s.stories = s.course.with(scenarios.Stories())
}

// speak switches the language. Pages store no texts.
func (s *shared) speak(lang string) {
	s.Book, s.lang = prose.Load(lang), lang
	if s.browser {
		s.Book = s.Book.InBrowser()
	}
}

// nextLanguage switches to the next language.
func (s *shared) nextLanguage() act {
	all := prose.Languages()
	for _, lang := range s.course.Languages {
		if !slices.Contains(all, lang) {
			all = append(all, lang)
		}
	}
	s.speak(all[(slices.Index(all, s.lang)+1)%len(all)])
	return nil
}

// ofLock returns the stories about a lock, including the learner's own.
func (s *shared) ofLock(lock string) []*scenarios.Story {
	var out []*scenarios.Story
	for _, story := range s.stories {
		if story.Strategy() == lock {
			out = append(out, story)
		}
	}
	if s.own != nil && s.own.Strategy() == lock {
		out = append(out, s.own)
	}
	return out
}

// caption returns a step's caption in the learner's language, or in English.
func (s *shared) caption(step scenarios.Step) string {
	return cmp.Or(step.Captions[s.lang], step.Captions["en"])
}

// lockName returns the name of a lock; its id if it is not in the catalogue.
func (s *shared) lockName(lock string) string { return cmp.Or(s.Lock(lock).Name, lock) }

// The facts fill the gaps of a text.
type facts = prose.TextFacts

type passages = []lesson.Part

// passage returns a text under the label with an id.
func (s *shared) passage(label, text string) lesson.Part {
	return lesson.Part{Label: s.Text(label), Text: text}
}

// violationLine describes a violation in one sentence.
func (s *shared) violationLine(v history.Violation) string {
	return scenarios.Violation(s.Book, v)
}

// byToken returns the token of a run without a name; ok is false if nothing has
// happened in it.
func (s *shared) byToken(c history.Config, schedule history.Schedule) (_ facts, ok bool) {
	return facts{N: len(schedule), What: history.Token(c, schedule), Said: s.knownBy(c.Strategy)}, len(schedule) > 0
}

// knownBy returns the flags that a command line needs for a lock.
func (s *shared) knownBy(lock string) string {
	if taught(lock) || s.with == "" {
		return ""
	}
	return " --with " + s.with
}

// taught reports whether a lock is in the catalogue, and so fails on purpose.
func taught(lock string) bool {
	_, ok := strategies.Find(lock)
	return ok
}
