package explore

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestLayout: unpack inverts pack, and setting a part changes no other, for any
// widths.
func TestLayout(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, sizes := range [][]int{{1, 1, 1, 1, 1}, {222, 223, 120, 10564, 1, 3}, {1 << 31, 2, 1 << 31, 3, 1 << 16, 1 << 17}} {
		l := newLayout(sizes)
		for range 100 {
			s, key := make(state, len(sizes)), make([]uint32, l.words)
			for i, size := range sizes {
				s[i] = int32(rng.IntN(size))
			}
			if !l.pack(key, s) {
				t.Fatalf("%v is too large for %v", s, sizes)
			}
			i := rng.IntN(len(s))
			s[i] = int32(rng.IntN(sizes[i]))
			l.fields[i].set(key, s[i])
			back := make(state, len(s))
			if l.unpack(back, key); !slices.Equal(back, s) {
				t.Fatalf("%v came back as %v, of %v", s, back, sizes)
			}
		}
		if larger := append(slices.Clone(sizes[:len(sizes)-1]), 1<<18); !l.fits(sizes) || l.fits(larger) {
			t.Errorf("%v: fits %t, and %v %t", sizes, l.fits(sizes), larger, l.fits(larger))
		}
	}
}

// TestVisitedSet: every state is held once, with its first parent and its
// number, also after repacking.
func TestVisitedSet(t *testing.T) {
	sizes := []int{300, 7, 90, 2, 5}
	v := newVisitedSet(sizes)
	numbers := map[uint32]int{}
	at := func(i int) state {
		return state{int32(i % 300), int32(i % 7), int32(i % 90), int32(i % 2), int32(i % 5)}
	}
	const distinct = 300 * 7 * 3 // the least common multiple
	for i := range 2 * distinct {
		v.add(at(i), uint32(i))
	}
	check := func() {
		t.Helper()
		if v.len() != distinct {
			t.Fatalf("%d states of %d", v.len(), distinct)
		}
		for i := range distinct {
			n := v.find(at(i))
			if n == noState || v.parent(n) != uint32(i) || !slices.Equal(v.at(n), at(i)) {
				t.Fatalf("%v is number %x", at(i), n)
			}
			if was, ok := numbers[n]; ok && was != i {
				t.Fatalf("%x is the number of %v and of %v", n, at(was), at(i))
			}
			numbers[n] = i
		}
	}
	check()
	v.widen([]int{1 << 20, 1 << 9, 1 << 10, 1 << 20, 5}, 2)
	check()
	if n := v.find(state{1, 1, 1, 1, 9}); n != noState {
		t.Errorf("a state that does not fit is number %x", n)
	}
}

// TestOneHashForTwo: states with equal hashes stay distinct.
func TestOneHashForTwo(t *testing.T) {
	v := newVisitedSet([]int{1 << 31, 1 << 31})
	s := &v.shards[0]
	s.add(&v.layout, []uint32{1, 2, 0, 3, 4, 0, 1, 2, 0}, []uint32{7, 7, 7})
	if s.n != 2 {
		t.Errorf("%d states, want 2", s.n)
	}
	for n, key := range [][]uint32{{1, 2}, {3, 4}} {
		if i, free := s.probe(key, 7); free || s.place(s.slots[i]) != uint32(n) {
			t.Errorf("%v is %d, %t", key, s.place(s.slots[i]), free)
		}
	}
	if _, free := s.probe([]uint32{5, 6}, 7); !free {
		t.Error("a state is found that was never added")
	}
}
