package explore

// An index finds what is known of a pair of numbers. It may be read by many at
// a time while nobody adds to it.
type index[V any] struct {
	slots []indexSlot[V]
	n     int
}

type indexSlot[V any] struct {
	a, b int32 // a is one more than the number; 0 is free
	val  V
}

// get returns what is known of a pair; nil for nothing.
func (x *index[V]) get(a, b int32) *V {
	if len(x.slots) == 0 {
		return nil
	}
	mask := uint64(len(x.slots) - 1)
	for i := spread(a, b) & mask; ; i = (i + 1) & mask {
		switch s := &x.slots[i]; {
		case s.a == a+1 && s.b == b:
			return &s.val
		case s.a == 0:
			return nil
		}
	}
}

// touch reads where get will look first, so that it is in the cache by then.
func (x *index[V]) touch(a, b int32) int32 {
	if len(x.slots) == 0 {
		return 0
	}
	return x.slots[spread(a, b)&uint64(len(x.slots)-1)].a
}

// put adds a pair that is not there yet.
func (x *index[V]) put(a, b int32, val V) {
	if x.n*2 >= len(x.slots) {
		before := x.slots
		x.slots = make([]indexSlot[V], max(64, 2*len(before)))
		for i := range before {
			if s := &before[i]; s.a != 0 {
				x.place(s)
			}
		}
	}
	x.n++
	x.place(&indexSlot[V]{a + 1, b, val})
}

func (x *index[V]) place(s *indexSlot[V]) {
	mask := uint64(len(x.slots) - 1)
	i := spread(s.a-1, s.b) & mask
	for x.slots[i].a != 0 {
		i = (i + 1) & mask
	}
	x.slots[i] = *s
}

// spread gives a pair a place in an index.
func spread(a, b int32) uint64 {
	h := (uint64(uint32(a))<<32 | uint64(uint32(b))) * 0x9E3779B97F4A7C15
	return h ^ h>>29
}
