package explore

import (
	"slices"

	"lockstep/sim/history"
)

// judgeAll judges transitions that leave a state with a monitor.
func (e *search) judgeAll(monitor int32, list []transition) {
	for i := range list {
		t := &list[i]
		if t.visible == 0 {
			t.monitor = monitor
			continue
		}
		j := e.Judge(monitor, t.visible)
		t.monitor, t.violates = j.Monitor, e.setOf(j.Violates)
	}
}

// A property is an invariant by its index in history.Invariants, or, firstAllowed later, what
// the contract allows of it.
type property = int

const firstAllowed property = 16

// properties is a set of properties, one bit each.
type properties uint32

func (set properties) has(p property) bool { return set>>p&1 != 0 }

// setOf returns the violated properties.
func (e *search) setOf(violations []history.Violation) (set properties) {
	for i := range violations {
		set |= 1 << e.propertyOf(violations[i])
	}
	return set
}

// propertyOf returns what a violation violates.
func (e *search) propertyOf(v history.Violation) property {
	p := slices.Index(history.Invariants(), v.Invariant)
	if e.options.Contract.allowed(v) != "" {
		p += firstAllowed
	}
	return p
}

// A hit is a transition that violates invariants.
type hit struct {
	violates properties
	from     uint32
	who      int32
	action   int16
}

// counts reports whether a violation counts, given whether Bounds.Because is
// violated.
func (e *search) counts(cause int32) bool { return e.because == 0 || cause != 0 }

// note records a hit unless a cheaper one is known.
func (e *search) note(h hit, at [2]int) {
	for p := range 2 * firstAllowed {
		if !h.violates.has(p) {
			continue
		}
		cost, known := e.costs[p]
		if !known {
			cost = at
			e.costs[p] = at
		}
		if cost == at {
			e.hits[p] = append(e.hits[p], h)
		}
	}
}
