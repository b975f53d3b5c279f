package explore

import (
	"slices"
	"sort"

	"lockstep/internal/lang"
	"lockstep/sim/history"
)

// An edge is a transition in the graph of visited states.
type edge struct {
	transition
	to uint32 // noState if a limit has cut that state off
}

// transitions lists the edges of a state: steps and time, then faults.
func (e *search) transitions(from state) ([]edge, error) {
	var list []edge
	for _, faulty := range []bool{false, true} {
		if faulty && from.faults() == e.bounds.Budget {
			break
		}
		next, err := e.successors(from, faulty)
		if err != nil {
			return nil, err
		}
		for i := range next {
			list = append(list, edge{next[i], e.states.find(e.follow(from, &next[i], faulty))})
		}
	}
	return list, nil
}

// judgeSchedule performs a schedule and returns the violation by its last
// action.
func (e *search) judgeSchedule(p property, s history.Schedule) (history.Violation, error) {
	at := e.initial()
	// A new monitor: those of the search stand for many histories.
	m := history.NewMonitor(e.Config, e.Subject.Nodes)
	var found []history.Violation
	for _, a := range s {
		next, events, err := e.perform(at, a)
		if err != nil {
			return history.Violation{}, err
		}
		at, found = next, nil
		for _, ev := range e.Events(events) {
			found = append(found, m.Observe(ev)...)
		}
	}
	for _, v := range found {
		if e.propertyOf(v) == p {
			return v, nil
		}
	}
	return history.Violation{}, lang.Errorf("explore: %s does not violate %s", s, history.Invariants()[p%firstAllowed]) // a bug in this package
}

// perform performs one action in a state.
func (e *search) perform(s state, a history.Action) (next state, events int32, err error) {
	faulty := e.bounds.IsFault(a.Verb)
	list, err := e.successors(s, faulty)
	if err != nil {
		return nil, 0, err
	}
	for i := range list {
		if t := &list[i]; e.Action(t.action) == a {
			return e.follow(s, t, faulty), t.events, nil
		}
	}
	return nil, 0, lang.Errorf("explore: %s is not possible", a) // a bug in this package
}

// pathTo returns the actions by which a state was first reached. The search does not
// store them: pathTo computes them from the states.
func (e *search) pathTo(n uint32) (history.Schedule, error) {
	var way []uint32 // the latest first
	for at := n; e.states.parent(at) != noState; at = e.states.parent(at) {
		way = append(way, at)
	}
	s, at := slices.Clone(e.options.After), e.root
	for _, to := range slices.Backward(way) {
		faulty := e.byFault(to)
		list, err := e.successors(at, faulty)
		if err != nil {
			return nil, err
		}
		want := e.states.at(to)
		i := slices.IndexFunc(list, func(t transition) bool {
			return slices.Equal(e.follow(at, &t, faulty), want)
		})
		s, at = append(s, e.Action(list[i].action)), want
	}
	return s, nil
}

// byFault reports whether a state was first reached by a fault.
func (e *search) byFault(n uint32) bool {
	from := e.states.parent(n)
	return from != noState && e.states.at(n).faults() != e.states.at(from).faults()
}

// depthOf returns the number of steps by which a state was first reached.
func (e *search) depthOf(n uint32) int {
	levels := e.levels[e.states.at(n).faults()]
	return sort.Search(len(levels), func(depth int) bool { return n < levels[depth].to })
}
