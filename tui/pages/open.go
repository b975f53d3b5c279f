package pages

import (
	"slices"

	"lockstep/scenarios"
)

// Open asks to show a story from a row on, counted from 1. A nameless story is not in
// the list of stories.
type Open struct {
	Story    *scenarios.Story
	At       int
	Nameless bool
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
