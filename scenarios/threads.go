package scenarios

import (
	"lockstep/sim/history"
	"lockstep/sim/program"
	"lockstep/sim/world"
)

// This file maps the threads of a story to those of a lock that keeps its own
// time. There thread 1 is its timer, and the following ones are what its
// goroutines currently wait for; a sleeping goroutine has no number.

// thread is the number of a thread in this run. Stories number background
// threads from 1.
func (r *runner) thread(n int) int {
	if n > 0 && r.lenient && r.subject.KeepsTime() && !keepsTime(r.story.Strategy()) {
		return n + program.TimerStrand
	}
	return n
}

func keepsTime(lock string) bool {
	subject, err := SubjectOf(lock)
	return err == nil && subject.KeepsTime()
}

// isTimer reports whether a thread is the timer of a lock that keeps its own
// time.
func (r *runner) isTimer(id int) bool { return r.subject.KeepsTime() && id == program.TimerStrand }

// meant translates an action to this run: the step of a thread that a timer
// wakes is the timer's.
func (r *runner) meant(a history.Action) history.Action {
	a.Strand = r.thread(a.Strand)
	if a.Verb != history.Step || !r.subject.KeepsTime() {
		return a
	}
	strands := r.w.Strands(a.Client)
	if r.sleeps(strands, a.Strand) && strands[program.TimerStrand].Enabled {
		a.Strand = program.TimerStrand
	}
	return a
}

// sleeps reports whether a thread waits for a timer or for another thread.
func (r *runner) sleeps(strands []world.StrandView, id int) bool {
	switch {
	case len(strands) == 0 || !r.subject.KeepsTime():
		return false
	case id == 0:
		return strands[0].Stays
	}
	return id > program.TimerStrand && (id >= len(strands) || strands[id].Ended)
}

// ended reports whether a thread has ended.
func (r *runner) ended(strands []world.StrandView, id int) bool {
	return strands[id].Ended && !(r.sleeps(strands, id) && !strands[program.TimerStrand].Ended)
}
