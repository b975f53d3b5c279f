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

// Home asks to show the list of locks.
type Home struct{}

// openChapter replaces all open pages by a chapter, or by the course if it has none of
// this id or no such part.
func (s *Shell) openChapter(c Chapter) act {
	pages, at := []page{newLocksPage(s.shared, ""), &coursePage{s.shared}}, -1
	if i := slices.IndexFunc(s.course.Chapters, func(known course.Chapter) bool { return known.ID == c.ID }); i >= 0 {
		s.course.chapter.at = i
		if at = s.whereLeft(s.course.open()); c.Part != "" {
			at = slices.Index(partsOf(s.course.open()), part(c.Part))
		}
	}
	if at < 0 {
		return all(restack(pages), say(s.book.Fill("no_such_chapter", prose.TextFacts{What: strings.TrimPrefix(c.Place().Page, coursePrefix)})))
	}
	p := newChapterPage(s.shared, at)
	if inner, ok := p.page.(stepwise); ok {
		*inner.cursor() = max(0, c.Step-1)
	}
	return restack(append(pages, p))
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
