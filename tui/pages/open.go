package pages

import (
	"slices"

	"lockstep/scenarios"
)

// Open is the wish to see a story from a row on, counted from 1. One that is nameless
// is not among the stories.
type Open struct {
	Story    *scenarios.Story
	At       int
	Nameless bool
}

// Trouble is what is wrong with something that the learner wanted from outside.
type Trouble struct{ Err error }

// openStory shows a story in place of all that is open. What the learner did before
// stays.
func (s *Shell) openStory(o Open) act {
	s.know(o.Story, o.Nameless)
	return restack(s.pathTo(o.Story.Strategy(), o.Story, o.At-1))
}

// know takes a story that may be the learner's own, and which of all has no name.
func (s *shared) know(story *scenarios.Story, nameless bool) {
	if !slices.Contains(s.stories, story) {
		s.own = story
	}
	if nameless {
		s.nameless = story
	}
}
