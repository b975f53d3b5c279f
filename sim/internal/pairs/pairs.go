// Package pairs is a map from pairs of small numbers, for the hot paths of the
// model and of its search.
package pairs

// A Map finds what is known of a pair of numbers. It may be read by many at a
// time while nobody adds to it.
type Map[V any] map[uint64]*V // Go finds a number of 64 bits sooner than a struct

func pair(a, b int32) uint64 { return uint64(a)<<32 | uint64(uint32(b)) }

// Get returns what is known of a pair; nil for nothing.
func (x Map[V]) Get(a, b int32) *V { return x[pair(a, b)] }

// Put makes a value known, and returns it.
func (x *Map[V]) Put(a, b int32, val V) *V {
	if *x == nil {
		*x = Map[V]{}
	}
	(*x)[pair(a, b)] = &val
	return &val
}
