package model

import (
	"slices"
	"sync"
	"sync/atomic"

	"lockstep/internal/lang"
	"lockstep/sim"
	"lockstep/sim/history"
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
	failed bool
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
		key := l.keyOf(w.from, w.strand, w.saw)
		_, known := l.kids[string(key)]
		if known || l.ahead[string(key)] != nil {
			continue
		}
		s := &runAhead{w: w}
		l.ahead[string(key)] = s
		if _, known = l.recorded(w); known || l.spinsBefore(w.from) {
			delete(l.ahead, string(l.keyOf(w.from, w.strand, w.saw)))
			continue
		}
		var waits bool
		if s.run, waits = l.waitsAt(w.from); !waits {
			s.run, s.path = l.start(), l.path(w.from)
		}
		runs = append(runs, s)
	}
	l.goOnUntilOneFails(runs, workers)
	for key, s := range l.ahead {
		if s.failed { // again where it is learned, to tell why
			delete(l.ahead, key)
			s.Close()
		}
	}
}

// goOnUntilOneFails lets runs go on, several at once. Learning ends at the first that fails
// for good, so those after one that has failed need not: code that is stuck takes its time.
func (l *learner) goOnUntilOneFails(runs []*runAhead, workers int) {
	var failed atomic.Int64
	failed.Store(int64(len(runs)))
	inParallel(workers, len(runs), func(i int) {
		n := int64(i)
		if n < failed.Load() {
			l.goOn(runs[i])
		} else {
			runs[i].failed = true
		}
		if runs[i].failed {
			lower(&failed, n)
		}
	})
}

// lower stores n if it is lower.
func lower(a *atomic.Int64, n int64) {
	for now := a.Load(); n < now && !a.CompareAndSwap(now, n); now = a.Load() {
	}
}

// goOn lets a run go its path and its way. It only reads what is learned.
func (l *learner) goOn(s *runAhead) {
	for _, to := range s.path {
		w := l.wayTo(to)
		events, ok := l.went(s.run, w)
		if !ok || !l.settled(to) && !l.did(w, s.Wants(0), events) {
			s.failed = true
			return
		}
	}
	events, ok := l.went(s.run, s.w)
	s.events, s.wants, s.failed = slices.Clone(events), s.Wants(0), !ok
}

// went lets a run go a way. It reports false if it cannot.
func (l *learner) went(s run, w *way) ([]history.Event, bool) {
	if !l.waitsFor(s, w) {
		return nil, false
	}
	_, events, err := s.Observe(0, w.strand, w.saw)
	return events, err == nil
}

// spinsBefore reports whether the path to a node leaves a round.
func (l *learner) spinsBefore(node int32) bool {
	return len(l.rounds) > 0 && (l.rounds[node] != nil || slices.ContainsFunc(l.path(node), func(n int32) bool { return l.rounds[n] != nil }))
}

// inParallel calls do with 0 to n-1, several at once, and waits.
func inParallel(workers, n int, do func(i int)) {
	var next atomic.Int64
	work := func() {
		for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
			do(i)
		}
	}
	var group sync.WaitGroup
	for range min(workers, n) - 1 {
		group.Go(work)
	}
	work()
	group.Wait()
}
