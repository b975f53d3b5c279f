package explore

// An index finds a number by a key of 64 bits. It may be read by many at a
// time while nobody adds to it.
type index struct {
	slots []indexSlot
	n     int
}

type indexSlot struct {
	key uint64 // + 1; 0 is free
	val int32
}

// get returns the number of a key; -1 if there is none.
func (x *index) get(key uint64) int32 {
	if len(x.slots) == 0 {
		return -1
	}
	mask := uint64(len(x.slots) - 1)
	for i := mix(key) & mask; x.slots[i].key != 0; i = (i + 1) & mask {
		if x.slots[i].key == key+1 {
			return x.slots[i].val
		}
	}
	return -1
}

// put adds a key that is not there yet.
func (x *index) put(key uint64, val int32) {
	if x.n*2 >= len(x.slots) {
		before := x.slots
		x.slots = make([]indexSlot, max(64, 2*len(before)))
		for _, s := range before {
			if s.key != 0 {
				x.place(s)
			}
		}
	}
	x.n++
	x.place(indexSlot{key + 1, val})
}

func (x *index) place(s indexSlot) {
	mask := uint64(len(x.slots) - 1)
	i := mix(s.key-1) & mask
	for x.slots[i].key != 0 {
		i = (i + 1) & mask
	}
	x.slots[i] = s
}

func mix(h uint64) uint64 {
	h *= 0x9E3779B97F4A7C15
	return h ^ h>>29
}

// pair packs two numbers into a key.
func pair(a, b int32) uint64 { return uint64(uint32(a))<<32 | uint64(uint32(b)) }
