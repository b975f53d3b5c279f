package explore

import (
	"cmp"

	"lockstep/sim/history"
)

// This file lets a search visit one state for all that differ only in which client has
// which name; see package model. Such states lead to each other by rotations of the
// clients. The one of them that is visited is their representative. What follows it
// follows the others, under other names. All paths are played from the first state on,
// under the names that the clients have there.

// rotate gives each client of a state the name of the one some places after it.
func (e *search) rotate(s state, by int) {
	if by = e.Place(0, by); by == 0 {
		return
	}
	var was [8]int32
	for who, client := range append(was[:0], s[:e.Circle()]...) {
		s[e.Place(who, by)] = client
	}
	for range by {
		*s.rest(stateEnv), *s.rest(stateMonitor) = e.NextEnv(s.env()), e.NextMonitor(s.monitor())
	}
}

// representation returns by how many places a state is rotated to its representative,
// the least of those to which it can be.
func (e *search) representation(s state) (best int) {
	for by := 1; by < e.Circle(); by++ {
		if e.compareRotations(s, by, best) < 0 {
			best = by
		}
	}
	return best
}

func (e *search) compareRotations(s state, a, b int) int {
	for place := range e.Circle() {
		if order := cmp.Compare(s[e.Place(place, -a)], s[e.Place(place, -b)]); order != 0 {
			return order
		}
	}
	return cmp.Or(
		cmp.Compare(after(a, s.env(), e.NextEnv), after(b, s.env(), e.NextEnv)),
		cmp.Compare(after(a, s.monitor(), e.NextMonitor), after(b, s.monitor(), e.NextMonitor)),
	)
}

// after applies a function some times.
func after(times int, n int32, next func(int32) int32) int32 {
	for range times {
		n = next(n)
	}
	return n
}

// find returns the number of a state's representative, or noState, and by how many
// places the state is rotated to it.
func (e *search) find(s state) (n uint32, by int) {
	if by = e.representation(s); by != 0 {
		s = append(state(nil), s...)
		e.rotate(s, by)
	}
	return e.states.find(s), by
}

// rotations lists the states that a representative stands for.
func (e *search) rotations(n uint32) (list []state) {
	s := e.states.at(n)
	for by := range e.Circle() {
		if by > 0 {
			s = append(state(nil), s...)
			e.rotate(s, 1)
		}
		list = append(list, s)
	}
	return list
}

// renamed returns an action of a state as it is after a rotation of that.
func (e *search) renamed(a history.Action, by int) history.Action {
	for who := range e.Circle() {
		if e.Names[who] == a.Client {
			a.Client = e.Names[e.Place(who, by)]
			break
		}
	}
	return a
}
