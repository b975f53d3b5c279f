package explore

import "slices"

// A visitedSet holds the states that are reached, numbered in the order in which they were.
// It finds them by a hash and open addressing: a Go map would hold a key for each state,
// which takes twice the memory and has to be allocated and collected.
type visitedSet struct {
	size    int      // parts of a state
	slots   []uint32 // by hash: one more than the number of a state; 0 is free
	parts   []int32  // of all states, one after the other
	parents []uint32 // the states from which they were first reached
}

// noState is the parent of the first state.
const noState = ^uint32(0)

func newVisitedSet(size int) visitedSet { return visitedSet{size: size, slots: make([]uint32, 64)} }

func (v *visitedSet) len() int { return len(v.parents) }

// bytesPerState is the approximate memory of a state, in bytes, besides that of its parts.
const bytesPerState = 20

// bytes estimates the memory of the set.
func (v *visitedSet) bytes() int { return 5*len(v.parts) + bytesPerState*len(v.parents) }

// at returns a state. The caller must not change it.
func (v *visitedSet) at(n uint32) state {
	return v.parts[int(n)*v.size : (int(n)+1)*v.size]
}

func (v *visitedSet) parent(n uint32) uint32 { return v.parents[n] }

// slot returns the slot of a state, or the free one for it.
func (v *visitedSet) slot(s state) *uint32 {
	var h uint64
	for _, part := range s {
		h = (h ^ uint64(uint32(part))) * 0x9E3779B97F4A7C15
		h ^= h >> 32
	}
	for ; ; h++ {
		slot := &v.slots[h&uint64(len(v.slots)-1)]
		if *slot == 0 || slices.Equal(v.at(*slot-1), s) {
			return slot
		}
	}
}

// find returns the number of a state; noState if it is not in the set.
func (v *visitedSet) find(s state) uint32 { return *v.slot(s) - 1 }

// add adds a state, unless it is in the set, and reports whether it was not.
func (v *visitedSet) add(s state, parent uint32) bool {
	slot := v.slot(s)
	if *slot != 0 {
		return false
	}
	v.parts, v.parents = append(v.parts, s...), append(v.parents, parent)
	*slot = uint32(v.len())
	if 2*v.len() > len(v.slots) {
		v.slots = make([]uint32, 2*len(v.slots))
		for n := range uint32(v.len()) {
			*v.slot(v.at(n)) = n + 1
		}
	}
	return true
}
