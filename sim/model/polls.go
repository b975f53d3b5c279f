package model

import (
	"slices"
	"time"

	"lockstep/sim"
	"lockstep/sim/program"
)

// This file is about code that polls: it does the same over and over, and sleeps in between. To
// find out when a timer next brings code to the seam, its clock has to run ahead, and cannot be
// set back. If none does, as while a poll is under way, the code has to run again from its
// start, which makes n polls n times as dear as one. So of code that has polled enough times over it is
// taken for granted that it has no other timer then, unless the search is to be exact.

// enoughPolls is how many equal rounds are enough.
const enoughPolls = 8

// polls reports whether code that goes a new way has polled often enough, and has no timer where
// this way leads.
func (l *learner) polls(w *way) bool {
	if !l.subject.KeepsTime() || l.ignoresSpins || l.merging.off {
		return false
	}
	all := path{w} // the latest first
	for n := w.from; n > 0 && len(all) <= (enoughPolls+1)*maxRound; n = l.before(n) {
		all = append(all, l.wayTo(n))
	}
	for period := 1; period <= maxRound && enoughPolls*period < len(all)-period; period++ {
		equal := func(i int) bool { return l.equal(all[i], all[i+period]) }
		i := 0
		for i < enoughPolls*period && equal(i) {
			i++
		}
		pauses := slices.ContainsFunc(all[:period], func(w *way) bool { return w.strand == program.TimerStrand })
		if i == enoughPolls*period && pauses {
			return l.nodes[all[period].to].wants[program.TimerStrand].Ended
		}
	}
	return false
}

// equal reports whether two ways are the same but for the time. The first may be new.
func (l *learner) equal(a, b *way) bool {
	saw, was := a.saw, b.saw
	saw.Shown, was.Shown = time.Time{}, time.Time{}
	return a.strand == b.strand && saw.String() == was.String() && (a.to == 0 || l.timeless(a).Same(l.timeless(b)))
}

// timeless is what code did on a way, without when it wakes, and without what it says beside the
// names of commands: each try may have a token of its own.
func (l *learner) timeless(w *way) program.Did {
	did := program.Did{Events: w.events, Wants: slices.Clone(l.nodes[w.to].wants)}
	for i := range did.Wants {
		w := &did.Wants[i]
		if w.Units = nil; !w.Wakes.IsZero() {
			*w = sim.Want{Name: w.Name, Sleeps: true}
		}
	}
	return did
}

// Polls is after how many equal rounds code was taken to have no other timer; 0 if none was.
func (m *Model) Polls() int {
	for _, l := range m.learners {
		if slices.ContainsFunc(l.ways, func(w way) bool { return w.quiet }) {
			return enoughPolls
		}
	}
	return 0
}
