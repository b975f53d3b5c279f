package pages

import (
	"slices"
	"strings"

	"lockstep/internal/course"
	"lockstep/internal/prose"
	"lockstep/scenarios"
)

// Open asks to show a story from a row on, counted from 1. A nameless story is not in
// the list of stories.
type Open struct {
	Story    *scenarios.Story
	At       int
	Nameless bool
}

// A Chapter asks to show a chapter of the course, by its id; "" is the course.
type Chapter string

// Home asks to show the list of locks.
type Home struct{}

// A Level asks to show a level, by its id; "" is the list of levels.
type Level string

// Addresses of chapters and levels begin with these.
const (
	coursePrefix = "course:"
	levelPrefix  = "level:"
)

// ChapterAddress returns the address of a chapter; "" is the course.
func ChapterAddress(id string) string { return coursePrefix + id }

// PageAt returns the request for the chapter or level that an address names.
func PageAt(address string) (request any, ok bool) {
	if id, ok := strings.CutPrefix(address, coursePrefix); ok {
		return Chapter(id), true
	}
	id, ok := strings.CutPrefix(address, levelPrefix)
	return Level(id), ok
}

// openChapter replaces all open pages by a chapter, or by the course if it has none of
// this id.
func (s *Shell) openChapter(id Chapter) act {
	pages := []page{newLocksPage(s.shared, ""), &coursePage{s.shared}}
	i := slices.IndexFunc(s.course.Chapters, func(c course.Chapter) bool { return c.ID == string(id) })
	if i < 0 {
		return all(restack(pages), say(s.book.Fill("no_such_chapter", prose.TextFacts{What: string(id)})))
	}
	s.course.chapter.at = i
	return restack(append(pages, newChapterPage(s.shared, s.whereLeft(s.course.open()))))
}

// openLevel replaces all open pages by a level, or by the list if it has none of this id.
func (s *Shell) openLevel(id Level) act {
	pages := []page{newLocksPage(s.shared, ""), newLevelsPage(s.shared, "")}
	i := slices.IndexFunc(s.levels.list, func(l scenarios.Level) bool { return l.ID == string(id) })
	if i < 0 {
		return all(restack(pages), say(s.book.Fill("no_such_level", prose.TextFacts{What: string(id)})))
	}
	if lock := s.levels.list[i].Lock(); lock != "" {
		pages = append(pages, newLevelsPage(s.shared, lock))
	}
	list := pages[len(pages)-1].(*levelsPage)
	list.menu.at = max(0, slices.Index(list.rows, i))
	return restack(append(pages, list.page()))
}

// Trouble is an error in something that the learner opened from outside.
type Trouble struct{ Err error }

// openStory replaces all open pages by a story. Earlier results stay.
func (s *Shell) openStory(o Open) act {
	s.know(o.Story, o.Nameless)
	return restack(s.pathTo(o.Story.Strategy(), o.Story, o.At-1))
}

// know registers a story that may be the learner's own, and whether it is nameless.
func (s *shared) know(story *scenarios.Story, nameless bool) {
	if !slices.Contains(s.stories, story) {
		s.own = story
	}
	if nameless {
		s.nameless = story
	}
}
