// Package pairs is a map from pairs of small numbers, for the hot paths of the
// model and of its search.
package pairs

// A Map finds what is known of a pair of numbers, of which the first is not
// below 0. It may be read by many at a time while nobody adds to it.
type Map[V any] struct {
	slots []slot[V]
	n     int
}

type slot[V any] struct {
	a, b int32 // a is one more than the number; 0 is free
	val  V
}

// Get returns what is known of a pair; nil for nothing.
func (x *Map[V]) Get(a, b int32) *V {
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

// Put adds a pair that is not there yet.
func (x *Map[V]) Put(a, b int32, val V) {
	if x.n*2 >= len(x.slots) {
		before := x.slots
		x.slots = make([]slot[V], max(64, 2*len(before)))
		for i := range before {
			if s := &before[i]; s.a != 0 {
				x.place(s)
			}
		}
	}
	x.n++
	x.place(&slot[V]{a + 1, b, val})
}

func (x *Map[V]) place(s *slot[V]) {
	mask := uint64(len(x.slots) - 1)
	i := spread(s.a-1, s.b) & mask
	for x.slots[i].a != 0 {
		i = (i + 1) & mask
	}
	x.slots[i] = *s
}

// spread gives a pair a place in a map.
func spread(a, b int32) uint64 {
	h := (uint64(uint32(a))<<32 | uint64(uint32(b))) * 0x9E3779B97F4A7C15
	return h ^ h>>29
}
