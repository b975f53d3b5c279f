package explore

import "iter"

// An end is a state without successors, except by faults.
type end struct {
	state         uint32
	faults, depth int
}

// A level is the states that were first reached with a number of faults and of
// steps: a span of their numbers. The zero level is empty.
type level struct{ from, to uint32 }

// states returns the numbers of a level's states.
func (l level) states() iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for n := l.from; n < l.to && yield(n); n++ {
		}
	}
}

// cuts reports whether states could lead to a level.
func (e *search) cuts(faults, depth int) bool {
	for _, l := range []level{e.level(faults, depth-1), e.level(faults-1, depth-1)} {
		if l.from < l.to {
			return true
		}
	}
	return false
}

// leads reports whether states may lead to a level.
func (e *search) leads(faults, depth int) bool {
	if depth == 0 {
		return true
	}
	if l := e.level(faults, depth-1); l.from < l.to {
		return true
	}
	return faults > 0 && len(e.levels[faults-1]) >= depth
}

// level returns the level of a number of faults and steps.
func (e *search) level(faults, depth int) level {
	if faults < 0 || depth < 0 || depth >= len(e.levels[faults]) {
		return level{}
	}
	return e.levels[faults][depth]
}
