package explore

import "slices"

// A table holds the distinct global states, each a tuple of ids of the same
// width, and gives them numbers in the order in which they were added. It
// compares whole tuples: there is no hash that could make two states one.
type table struct {
	width int
	words []int32  // of all states, one after the other
	slots []uint32 // number of a state + 1; 0 is free
}

func newTable(width int) *table {
	return &table{width: width, slots: make([]uint32, 1<<10)}
}

func (t *table) len() int { return len(t.words) / t.width }

// at returns a state's tuple, which must not be changed.
func (t *table) at(n int32) []int32 {
	return t.words[int(n)*t.width : int(n+1)*t.width]
}

// add returns the number of a state and whether it is new.
func (t *table) add(state []int32) (n int32, fresh bool) {
	mask := uint64(len(t.slots) - 1)
	i := hash(state) & mask
	for ; t.slots[i] != 0; i = (i + 1) & mask {
		if n := int32(t.slots[i] - 1); slices.Equal(t.at(n), state) {
			return n, false
		}
	}
	n = int32(t.len())
	t.words = append(t.words, state...)
	t.slots[i] = uint32(n) + 1
	if t.len()*4 > len(t.slots)*3 {
		t.grow()
	}
	return n, true
}

func (t *table) grow() {
	t.slots = make([]uint32, 2*len(t.slots))
	mask := uint64(len(t.slots) - 1)
	for n := range int32(t.len()) {
		i := hash(t.at(n)) & mask
		for t.slots[i] != 0 {
			i = (i + 1) & mask
		}
		t.slots[i] = uint32(n) + 1
	}
}

func hash(state []int32) uint64 {
	h := uint64(14695981039346656037)
	for _, w := range state {
		h = (h ^ uint64(uint32(w))) * 0x9E3779B97F4A7C15
		h ^= h >> 29
	}
	return h
}
