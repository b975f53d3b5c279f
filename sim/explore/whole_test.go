package explore

import (
	"encoding/binary"
	"slices"
	"testing"
)

// TestWholeStates: states are compared as a whole. The first and the 65th part
// have equal weights, so that the hashes of these states are equal.
func TestWholeStates(t *testing.T) {
	sizes := make([]int, len(weights)+1)
	for i := range sizes {
		sizes[i] = 4
	}
	a, b := make(state, len(sizes)), make(state, len(sizes))
	a[0], b[len(weights)] = 3, 3
	if a.hash() != b.hash() {
		t.Fatalf("their hashes are %x and %x", a.hash(), b.hash())
	}
	v := newVisitedSet(sizes)
	v.add(a, 1)
	if v.find(b) != noState {
		t.Error("a state is found that was never added")
	}
	v.add(b, 2)
	if v.len() != 2 || v.parent(v.find(a)) != 1 || v.parent(v.find(b)) != 2 {
		t.Errorf("%d states, want 2", v.len())
	}
}

// TestRowsThatBeginAlike: a row begins with a key only if every bit matches.
func TestRowsThatBeginAlike(t *testing.T) {
	row := []uint32{0xdeadbeef, 0, 0x12345678, 7}
	for i := range 3 {
		for bit := range 32 {
			key := slices.Clone(row[:3])
			if !begins(row, key) {
				t.Fatal("a row does not begin with what it begins with")
			}
			if key[i] ^= 1 << bit; begins(row, key) {
				t.Errorf("bit %d of word %d makes no difference", bit, i)
			}
		}
	}
	if begins(row, []uint32{0, 0xdeadbeef, 0x12345678}) {
		t.Error("the order of words makes no difference")
	}
}

// TestKeysOfTuples: a key determines its tuple.
func TestKeysOfTuples(t *testing.T) {
	ids := []int32{1, -1, 1 << 30, 0, 255, 1 << 20, 7, 8, 9}
	key := keyOf(ids)
	var back []int32
	for at := 0; at < len(key); at += 4 {
		back = append(back, int32(binary.LittleEndian.Uint32([]byte(key[at:]))))
	}
	if !slices.Equal(back, ids) {
		t.Errorf("%v came back as %v", ids, back)
	}
}
