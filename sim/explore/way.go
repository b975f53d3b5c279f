package explore

import (
	"fmt"
	"slices"

	"lockstep/sim/history"
)

// A transition is one that leaves a state, as the table has it.
type transition struct {
	action int16
	who    int    // whose action it is; -1 for nobody's
	to     uint32 // noState if a limit has cut that state off
}

// transitions lists what leaves a state: steps and time, then faults.
func (e *search) transitions(n uint32) ([]transition, error) {
	var list []transition
	w, tuple := e.learner(), e.states.at(n)
	for _, faulty := range []bool{false, true} {
		if faulty && e.faultsOf(tuple) == e.bounds.Budget {
			break
		}
		if _, err := w.images(tuple, faulty); err != nil {
			return nil, err
		}
		for i := range w.next {
			s := &w.next[i]
			list = append(list, transition{
				s.action, int(s.who), e.states.find(w.tuples[s.at : s.at+e.states.width]),
			})
		}
	}
	return list, nil
}

// root is the first state.
func (e *search) root() uint32 { return e.states.find(e.first()) }

// judgeSchedule performs a schedule and returns how its last action violates an
// invariant.
func (e *search) judgeSchedule(invariant string, s history.Schedule) (history.Violation, error) {
	tuple := e.first()
	// One that has seen just this: those of the search stand for many histories.
	m := history.NewMonitor(e.config, e.subject.Nodes)
	var found []history.Violation
	for _, a := range s {
		next, events, err := e.perform(tuple, a)
		if err != nil {
			return history.Violation{}, err
		}
		tuple, found = next, nil
		for _, ev := range e.lists.list[events] {
			found = append(found, m.Observe(ev)...)
		}
	}
	for _, v := range found {
		if v.Invariant == invariant {
			return v, nil
		}
	}
	return history.Violation{}, fmt.Errorf("explore: %s does not violate %s", s, invariant) // a mistake in this package
}

// perform takes one action in a state.
func (e *search) perform(tuple []int32, a history.Action) (next []int32, events int32, err error) {
	w := e.learner()
	faulty := e.bounds.isFault(a.Verb)
	if _, err := w.successors(tuple, faulty); err != nil {
		return nil, 0, err
	}
	for i := range w.next {
		if s := &w.next[i]; e.verbs.list[s.action] == a {
			return e.follow(nil, tuple, s, faulty), s.events, nil
		}
	}
	return nil, 0, fmt.Errorf("explore: %s is not possible", a) // a mistake in this package
}

// way returns the actions by which a state was first reached.
func (e *search) way(n uint32) (s history.Schedule) {
	for ; e.states.parent(n) != noState; n = e.states.parent(n) {
		s = append(s, e.verbs.list[e.states.action(n)])
	}
	slices.Reverse(s)
	return s
}

// faultsOf says how many faults have happened on the way to a state.
func (e *search) faultsOf(tuple []int32) int {
	return int(tuple[len(tuple)-1]%e.spends) / (e.bounds.Ticks + 1)
}

// depthOf says in how many steps a state was first reached.
func (e *search) depthOf(n uint32) int {
	shard, place := n>>shardShift, n&maxShard
	levels := e.levels[e.faultsOf(e.states.at(n))]
	depth, _ := slices.BinarySearchFunc(levels, place, func(l level, place uint32) int {
		if l[shard].to <= place {
			return -1
		}
		return 0
	})
	return depth
}
