package explore

import (
	"encoding/binary"
	"slices"
	"testing"
)

// TestKeysOfTuples: a key determines its tuple.
func TestKeysOfTuples(t *testing.T) {
	ids := []int32{1, -1, 1 << 30, 0, 255, 1 << 20, 7, 8, 9}
	key := appendKey(nil, ids)
	var back []int32
	for at := 0; at < len(key); at += 4 {
		back = append(back, int32(binary.LittleEndian.Uint32(key[at:])))
	}
	if !slices.Equal(back, ids) {
		t.Errorf("%v came back as %v", ids, back)
	}
}
