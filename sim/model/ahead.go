package model

import (
	"slices"
	"sync/atomic"

	"lockstep/internal/lang"
	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/internal/parallel"
)

// This file lets the code of clients be learned by several workers. The learners
// share nothing, but what a client observes next is for the model to say, which one
// goroutine at a time may use. So the model first notes the ways that steps need.
// Then the code of each learner goes its own, and the learner learns them in the order
// in which they were noted, which does not depend on the number of workers.

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

// LearnNoted lets a learner learn its noted ways, some workers at once. Several learners
// may do so at once. An error shows again where a step needs that way.
func (m *Model) LearnNoted(learner, workers int) {
	l := m.learners[learner]
	for noted := range slices.Chunk(l.noted, maxAhead) {
		l.goAhead(noted, workers)
		for _, w := range noted {
			if _, err := l.after(w.from, w.strand, w.saw); err != nil {
				l.ahead.close()
				l.noted = l.noted[:0]
				return
			}
		}
		l.ahead.close()
	}
	l.noted = l.noted[:0]
}

// maxAhead is how many runs are ahead at once.
const maxAhead = 64

// ahead is runs that have gone ways that are not learned yet, by key.
type ahead map[string]*runAhead

// A runAhead is a run of code that has gone a new way. Nothing of it is learned yet.
type runAhead struct {
	run
	w      *way
	path   []int32 // what it went before, if it began for this way
	events []history.Event
	wants  []sim.Want
	err    error // of code that did not reach the seam
	left   bool  // it differs from earlier runs, or need not go
}

func (a ahead) close() {
	for _, s := range a {
		s.Close()
	}
	clear(a)
}

// goAhead lets code go noted ways, several at once. What each comes to depends on its
// path alone, so learning it in the order in which the ways were noted comes to the same.
// Code that must be watched on the way, as it spins or has timers, is left out.
func (l *learner) goAhead(noted []way, workers int) {
	if l.subject.Start != nil || l.stuck != nil {
		return
	}
	var runs []*runAhead
	for i := range noted {
		w := &noted[i]
		if _, known := l.recorded(w); known || l.spinsBefore(w.from) {
			continue
		}
		key := string(l.keyOf(w.from, w.strand, w.saw))
		if _, known := l.kids[key]; known || l.ahead[key] != nil {
			continue
		}
		s := &runAhead{w: w}
		l.ahead[key] = s
		var waits bool
		if s.run, waits = l.waitsAt(w.from); !waits {
			s.run, s.path = l.start(), l.path(w.from)
		}
		runs = append(runs, s)
	}
	var stuck atomic.Bool // each further try would take as long
	parallel.Do(workers, len(runs), func(_, i int) {
		s := runs[i]
		if s.left = stuck.Load(); s.left {
			return
		}
		if l.advance(s); s.err != nil {
			stuck.Store(true)
		}
	})
	for key, s := range l.ahead {
		if s.left { // if it differs, it is run again where it is learned, to tell how
			delete(l.ahead, key)
			s.Close()
		}
	}
}

// advance lets a run go its path and its way. It only reads what is learned.
func (l *learner) advance(s *runAhead) {
	for _, to := range s.path {
		w := l.wayTo(to)
		if !s.step(l, w) {
			return
		}
		if s.left = !l.settled(to) && !l.did(w, s.Wants(0), s.events); s.left {
			return
		}
	}
	if s.step(l, s.w) {
		s.events, s.wants = slices.Clone(s.events), s.Wants(0)
	}
}

// step lets a run go a way. It reports false if the run cannot, or is stuck.
func (s *runAhead) step(l *learner, w *way) bool {
	if s.left = !l.waitsFor(s.run, w); !s.left {
		_, s.events, s.err = s.Observe(0, w.strand, w.saw)
	}
	return !s.left && s.err == nil
}

// spinsBefore reports whether the path to a node leaves a round.
func (l *learner) spinsBefore(node int32) bool {
	return len(l.rounds) > 0 && (l.rounds[node] != nil || slices.ContainsFunc(l.path(node), func(n int32) bool { return l.rounds[n] != nil }))
}
