package model

import "lockstep/internal/lang"

// This file lets the code of several clients be learned at once. The learners
// share nothing, but what a client observes next is for the model to say, which one
// goroutine at a time may use. So the model first notes the ways that steps need,
// and then each learner learns its own, in the order in which they were noted,
// which does not depend on the number of workers.

// errNoted is the error of a step that needs a way that was noted, not learned.
var errNoted = lang.Errorf("the way is noted, and not learned yet")

// Note lets ask call Steps and Faults. They note the ways that are not learned, and
// leave out the effects that need them.
func (m *Model) Note(ask func()) {
	for _, l := range m.learners {
		l.notes = true
	}
	ask()
	for _, l := range m.learners {
		l.notes = false
	}
}

// LearnNoted lets a learner learn its noted ways. Several may do so at once.
// An error shows again where a step needs that way.
func (m *Model) LearnNoted(learner int) {
	l := m.learners[learner]
	for _, w := range l.noted {
		if _, err := l.after(w.from, w.strand, w.saw); err != nil {
			break
		}
	}
	l.noted = l.noted[:0]
}
