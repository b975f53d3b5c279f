package explore

import "lockstep/sim"

// This file is the partial-order reduction. A step that changes nothing that
// anybody else can see, and that nobody else can change, may as well be taken
// before everything else: all orders of it and what the others do lead to the
// same states. Where there is such a step, no other is tried. Faults still are,
// from every state.
//
// A violation is found if there is one, but a longer schedule may be the
// first: explore looks again without the reduction for the shortest.

// silent returns the place among the successors of a step that may be taken
// before all others; -1 if there is none. The tuples must be there.
func (w *worker) silent(tuple []int32) int {
	env := tuple[len(tuple)-2]
	for i := range w.next {
		s := &w.next[i]
		if s.who < 0 || s.env != env || w.heeds[s.events] != 0 {
			continue
		}
		if !w.alone(int(s.who), tuple[s.who], s) {
			continue
		}
		// On a cycle of such steps the others would never be tried.
		if w.states.find(w.tuples[s.at:s.at+w.states.width]) == noState {
			return i
		}
	}
	return -1
}

// alone says whether what a step comes to depends on nothing that others do,
// and nothing that others do depends on it.
func (w *worker) alone(who int, client int32, s *successor) bool {
	c := w.clients[who].list[client]
	if !c.begun() {
		return false // it lets time pass until it begins
	}
	thread := w.verbs.list[s.action].Thread
	threads := w.learners[who].nodes[c.node].threads
	for other := range threads {
		if other != thread && !threads[other].Ended {
			return false // threads of a client share its memory
		}
	}
	switch threads[thread].Saw {
	case sim.SawNow:
		// Time stands still until the clock is read, unless it may pass at any
		// moment; nothing else may turn the clock.
		return !w.bounds.Anywhere && !w.jumps
	case sim.SawNothing:
		return !w.bounds.Anywhere || timeless(c, w.clients[who].list[s.client], thread)
	}
	return false
}

// timeless says whether a step of a thread has made nobody wait for a moment
// that depends on when it was taken.
func timeless(before, after *clientState, thread int) bool {
	for i, t := range after.threads {
		if (i == thread || i >= len(before.threads)) && t.until != 0 {
			return false
		}
	}
	return true
}
