package model

import (
	"slices"
	"sync/atomic"

	"lockstep/internal/lang"
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

// ahead is trips over ways that are not learned yet, by key.
type ahead map[string]*trip

func (a ahead) close() {
	for _, t := range a {
		t.Close()
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
	var trips []*trip
	for i := range noted {
		w := &noted[i]
		if _, known := l.recorded(w); known || l.spinsBefore(w.from) {
			continue
		}
		key := string(l.keyOf(w.from, w.strand, w.saw))
		if _, known := l.kids[key]; known || l.ahead[key] != nil {
			continue
		}
		t := l.tripTo(w.from, w)
		l.ahead[key] = t
		trips = append(trips, t)
	}
	var stuck atomic.Bool // each further try would take as long
	parallel.Do(workers, len(trips), func(_, i int) {
		t := trips[i]
		if t.left = stuck.Load(); t.left {
			return
		}
		if t.retrace(l); t.err != nil {
			stuck.Store(true)
		}
	})
	for key, t := range l.ahead {
		if t.left {
			delete(l.ahead, key)
			t.Close()
		}
	}
}

// spinsBefore reports whether the path to a node leaves a round.
func (l *learner) spinsBefore(node int32) bool {
	return len(l.rounds) > 0 && (l.rounds[node] != nil || slices.ContainsFunc(l.pathTo(node), func(w *way) bool { return l.rounds[w.to] != nil }))
}
