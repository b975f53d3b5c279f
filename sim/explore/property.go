package explore

import (
	"lockstep/sim/history"
	"lockstep/sim/model"
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
		t.monitor, t.violates = j.Monitor, j.Violates
	}
}

// A hit is a transition that violates invariants.
type hit struct {
	violates model.Invariants
	from     uint32
	who      int32
	action   int16
}

// counts reports whether a violation counts, given whether Bounds.Because is
// violated.
func (e *search) counts(cause int32) bool { return e.because == 0 || cause != 0 }

// note records a hit unless a cheaper one is known.
func (e *search) note(h hit, at [2]int) {
	for which, id := range history.Invariants() {
		if !h.violates.Has(which) {
			continue
		}
		cost, known := e.costs[id]
		if !known {
			cost = at
			e.costs[id] = at
		}
		if cost == at {
			e.hits[id] = append(e.hits[id], h)
		}
	}
}
