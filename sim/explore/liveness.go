package explore

import (
	"cmp"
	"errors"
	"slices"

	"lockstep/internal/lang"
	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/model"
	"lockstep/sim/world"
)

// maxTries bounds the states in the search for the shortest path to an orphan.
const maxTries = 50_000

// findOrphan decides lock-recovers for every state right after a fault and
// every state without further steps. The former show the effects of faults, the
// latter those of the lock itself. If one is an orphan, it tries all states in
// the order of fewest faults and then fewest actions, to find the shortest path
// to an orphan.
func (e *search) findOrphan() error {
	f := &orphanFinder{search: e}
	if err := f.findLostWakeup(); err != nil {
		return err
	}
	orphan, err := f.cheapest()
	if orphan == noState || err != nil {
		return err
	}
	s, shortest, err := f.shortest(orphan)
	if err != nil {
		return err
	}
	ok, detail, err := world.Recovers(e.ctx, e.Config, e.Subject, s)
	switch {
	case err != nil:
		return err
	case ok:
		return lang.Errorf("explore: in a real world the lock recovers after %s", s) // a bug in this package
	}
	point := 0
	if shortest { // with one action less, it recovers
		point = len(s)
	}
	e.addFound(Found{Violation: sim.Orphaned(e.Config, s, detail), Schedule: s, Shortest: shortest, Point: point})
	return nil
}

// addFound adds a Found to the report, in its place.
func (e *search) addFound(found Found) {
	found.Allowed = e.options.Contract.allowed(found.Violation)
	at, _ := slices.BinarySearchFunc(e.report.Found, found, ByInvariant)
	e.report.Found = slices.Insert(e.report.Found, at, found)
}

// ByInvariant orders counterexamples as history.Invariants does, and those of one by what the
// contract does not allow and what it allows.
func ByInvariant(a, b Found) int {
	return cmp.Or(
		slices.Index(history.Invariants(), a.Violation.Invariant)-slices.Index(history.Invariants(), b.Violation.Invariant),
		cmp.Compare(min(len(a.Allowed), 1), min(len(b.Allowed), 1)),
	)
}

// An orphanFinder decides whether the lock recovers from states.
type orphanFinder struct {
	*search
	known  []answer // by trial
	healed []int32  // a buffer
	tries  int
}

// An answer is whether the lock recovers in a trial.
type answer uint8

const (
	unanswered answer = iota
	recovering
	orphaned
	undecided
)

// cheapest returns the first candidate from which the lock does not recover, in
// the order of fewest faults and then fewest actions; noState if there is none.
// States after a fault come before ends.
func (f *orphanFinder) cheapest() (uint32, error) {
	ends := f.ends
	for faults := range f.levels {
		for depth := range f.levels[faults] {
			var list []uint32
			if faults > 0 {
				list = f.afterFault(f.level(faults, depth))
			}
			for ; len(ends) > 0 && ends[0].faults == faults && ends[0].depth == depth; ends = ends[1:] {
				list = append(list, ends[0].state)
			}
			for _, n := range list {
				if f.ctx.Err() != nil {
					f.report.Limit = Interrupt
					return noState, nil
				}
				if f.overfull(len(f.known)) {
					f.report.Limit = OutOfMemory
					return noState, nil
				}
				if ok, err := f.recovers(f.states.at(n)); !ok || err != nil {
					return n, err
				}
			}
		}
	}
	return noState, nil
}

// afterFault lists the states of a level that were first reached by a fault.
func (f *orphanFinder) afterFault(l level) (list []uint32) {
	for n := range l.states() {
		if f.byFault(n) {
			list = append(list, n)
		}
	}
	return list
}

// shortest looks for a shorter path to an orphan. proven reports whether there
// is none shorter than the result.
func (f *orphanFinder) shortest(orphan uint32) (s history.Schedule, proven bool, err error) {
	f.tries = 0
	cost := [2]int{f.states.at(orphan).faults(), f.depthOf(orphan)}
	for faults := range f.levels {
		for depth := range f.levels[faults] {
			at := [2]int{faults, depth}
			bad, good := orphan, at != cost
			for n := range f.level(faults, depth).states() {
				if !good || f.ctx.Err() != nil {
					break
				}
				if good, err = f.recovers(f.states.at(n)); err != nil {
					return nil, false, err
				}
				bad = n
			}
			if !good {
				s, err = f.simplest(bad, f.recovers)
				return s, f.proven(at), err
			}
			if f.tries > maxTries || f.ctx.Err() != nil {
				s, err = f.pathTo(orphan)
				return s, false, err
			}
		}
	}
	return nil, false, lang.Errorf("explore: no level has the orphan") // a bug in this package
}

// recovers reports whether the lock recovers from a state, or whether the state
// does not count.
func (f *orphanFinder) recovers(s state) (bool, error) {
	if !f.counts(s.cause()) {
		return true, nil
	}
	a, err := f.tupleRecovers(s[:len(f.Config.Processes())+1])
	return a != orphaned, err
}

// tupleRecovers decides for the clients and their env. An undecided one is a
// limit of the search.
func (f *orphanFinder) tupleRecovers(tuple []int32) (answer, error) {
	tuple, err := f.endFaults(tuple)
	if err != nil {
		return unanswered, err
	}
	clients, env := tuple[:len(tuple)-1], tuple[len(tuple)-1]
	n := f.Trial(clients, env)
	if more := int(n) + 1 - len(f.known); more > 0 {
		f.known = append(f.known, make([]answer, more)...)
	}
	if f.known[n] != unanswered {
		return f.known[n], nil
	}
	f.tries++
	ok, err := f.Recovers(f.ctx, clients, env)
	switch {
	case errors.Is(err, sim.ErrUndecided):
		f.report.Limit = Unrecovered
		if f.ctx.Err() != nil {
			f.report.Limit = Interrupt
		}
		f.known[n], err = undecided, nil
	case ok:
		f.known[n] = recovering
	case err == nil:
		f.known[n] = orphaned
	}
	return f.known[n], err
}

// endFaults returns the tuple with all nodes and connections restored, as
// world.Recovers does. The next call invalidates it.
func (f *orphanFinder) endFaults(tuple []int32) (_ []int32, err error) {
	clients := len(tuple) - 1
	f.healed = append(f.healed[:0], tuple...)
	for who := range clients {
		if f.healed[who], err = f.EndFaults(who, tuple[who]); err != nil {
			return nil, err
		}
	}
	f.healed[clients], err = f.EndFaults(model.AnEnv, tuple[clients])
	return f.healed, err
}
