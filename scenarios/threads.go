package scenarios

import (
	"lockstep/sim/history"
	"lockstep/sim/program"
	"lockstep/sim/world"
)

// This file is what a thread of a story is where the lock keeps its own time. Thread 1
// is its timer there, and the ones behind it are whatever its goroutines wait for
// at present: a goroutine that sleeps has no number.

// thread is the number of a thread in this run. A story that was written for a
// lock of ours numbers background threads from 1, whoever plays it.
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

// isTimer says whether a thread is the timer of a lock that keeps its own time.
func (r *runner) isTimer(id int) bool { return r.subject.KeepsTime() && id == program.TimerStrand }

// meant is an action as it is in this run: the step of a thread that a timer is to
// wake is the timer's.
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

// sleeps says whether only a timer, or another thread, lets a thread of such code
// go on.
func (r *runner) sleeps(strands []world.StrandView, id int) bool {
	switch {
	case len(strands) == 0 || !r.subject.KeepsTime():
		return false
	case id == 0:
		return strands[0].Stays
	}
	return id > program.TimerStrand && (id >= len(strands) || strands[id].Ended)
}

// ended says whether nothing more is to come of a thread.
func (r *runner) ended(strands []world.StrandView, id int) bool {
	return strands[id].Ended && !(r.sleeps(strands, id) && !strands[program.TimerStrand].Ended)
}
