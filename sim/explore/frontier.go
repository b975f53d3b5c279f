package explore

import (
	"iter"
	"slices"
)

// An end is a state without successors, except by faults.
type end struct {
	state         uint32
	faults, depth int
}

// A level is the states that were first reached with a number of faults and of
// steps: a span in each shard.
type level [shardCount]span

type span struct{ from, to uint32 }

func (l *level) empty() bool {
	return !slices.ContainsFunc(l[:], func(s span) bool { return s.from < s.to })
}

// states returns the numbers of a level's states. The level may be nil.
func (l *level) states() iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		if l == nil {
			return
		}
		for i, s := range l {
			for place := s.from; place < s.to; place++ {
				if !yield(uint32(i)<<shardShift | place) {
					return
				}
			}
		}
	}
}

// cuts reports whether states could lead to a level.
func (e *search) cuts(faults, depth int) bool {
	for _, l := range []*level{e.level(faults, depth-1), e.level(faults-1, depth-1)} {
		if l != nil && !l.empty() {
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
	if l := e.level(faults, depth-1); l != nil && !l.empty() {
		return true
	}
	return faults > 0 && len(e.levels[faults-1]) >= depth
}

// level returns the level of a number of faults and steps; nil if there is
// none.
func (e *search) level(faults, depth int) *level {
	if faults < 0 || depth < 0 || depth >= len(e.levels[faults]) {
		return nil
	}
	return &e.levels[faults][depth]
}
