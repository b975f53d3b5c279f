package explore

import (
	"slices"
	"testing"
)

// TestVisitedSet: every state is held once, with its first parent and its number.
func TestVisitedSet(t *testing.T) {
	v := newVisitedSet(5)
	at := func(i int) state {
		return state{int32(i % 300), int32(i % 7), int32(i % 90), int32(i % 2), int32(i % 5)}
	}
	const distinct = 300 * 7 * 3 // the least common multiple
	for i := range 2 * distinct {
		v.add(at(i), uint32(i))
	}
	if v.len() != distinct {
		t.Fatalf("%d states of %d", v.len(), distinct)
	}
	for i := range distinct {
		if n := v.find(at(i)); n != uint32(i) || v.parent(n) != uint32(i) || !slices.Equal(v.at(n), at(i)) {
			t.Fatalf("%v is number %x", at(i), n)
		}
	}
	if n := v.find(state{1, 1, 1, 1, 9}); n != noState {
		t.Errorf("a state that was never added is number %x", n)
	}
}
