package explore

import "encoding/binary"

// A visitedSet holds the states that are reached, numbered in the order in which they were.
type visitedSet struct {
	size    int               // parts of a state
	numbers map[string]uint32 // by key
	parts   []int32           // of all states, one after the other
	parents []uint32          // the states from which they were first reached
	key     []byte            // a buffer
}

// noState is the parent of the first state.
const noState = ^uint32(0)

func (v *visitedSet) len() int { return len(v.parents) }

// bytesPerState is the approximate memory of a state, in bytes, besides that of its parts.
const bytesPerState = 56

// bytes estimates the memory of the set: each part is in the list and in a key.
func (v *visitedSet) bytes() int { return 8*len(v.parts) + bytesPerState*len(v.parents) }

// at returns a state. The caller must not change it.
func (v *visitedSet) at(n uint32) state {
	return v.parts[int(n)*v.size : (int(n)+1)*v.size]
}

func (v *visitedSet) parent(n uint32) uint32 { return v.parents[n] }

// find returns the number of a state; noState if it is not in the set. It leaves the state's
// key in the buffer.
func (v *visitedSet) find(s state) uint32 {
	v.key = appendKey(v.key[:0], s)
	if n, known := v.numbers[string(v.key)]; known {
		return n
	}
	return noState
}

// add adds a state, unless it is in the set.
func (v *visitedSet) add(s state, parent uint32) {
	if v.find(s) != noState {
		return
	}
	v.numbers[string(v.key)] = uint32(len(v.parents))
	v.parts, v.parents = append(v.parts, s...), append(v.parents, parent)
}

// appendKey appends what no other state of so many parts has.
func appendKey(b []byte, s state) []byte {
	for _, part := range s {
		b = binary.LittleEndian.AppendUint32(b, uint32(part))
	}
	return b
}
