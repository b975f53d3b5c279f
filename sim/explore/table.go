package explore

import "slices"

// A table holds the distinct global states, each a row: the tuple that tells
// it from any other, and then the state that led to it and by which action. It
// compares whole tuples: there is no hash that could make two states one.
//
// It consists of shards, so that several workers can add to it at a time, each
// to shards of its own. Which shard a state belongs to follows from its tuple;
// its number is that of the shard and its place there.
type table struct {
	width  int // of a tuple
	shards [shardCount]shard
}

const (
	shardBits  = 4
	shardCount = 1 << shardBits
	shardShift = 32 - shardBits
	// maxShard is how many states a shard can hold.
	maxShard = 1<<shardShift - 1
	chunkLog = 10 // a chunk has that many rows; chunks are never moved
)

type shard struct {
	stride int // of a row
	chunks [][]int32
	n      uint32 // rows
	// slots hold the place of a row + 1 and, in the bits that it leaves free, a
	// part of the hash; 0 is free.
	slots []uint32
	log   int // of the number of slots
}

// What follows the tuple in a row.
const (
	rowParent = iota // number of the state that it was reached from
	rowAction        // number of the action that led here
	rowExtra
)

// noState is the parent of the first state.
const noState = ^uint32(0)

func newTable(width int) *table {
	t := &table{width: width}
	for i := range t.shards {
		t.shards[i] = shard{stride: width + rowExtra, slots: make([]uint32, 1<<6), log: 6}
	}
	return t
}

func (t *table) len() int {
	n := 0
	for i := range t.shards {
		n += int(t.shards[i].n)
	}
	return n
}

// bytes says how much memory the table takes.
func (t *table) bytes() int {
	n := 0
	for i := range t.shards {
		s := &t.shards[i]
		n += 4*len(s.slots) + 4*s.stride<<chunkLog*len(s.chunks)
	}
	return n
}

// row returns a state's row, which must not be changed.
func (t *table) row(n uint32) []int32 {
	return t.shards[n>>shardShift].row(n & maxShard)
}

// at returns a state's tuple, which must not be changed.
func (t *table) at(n uint32) []int32 { return t.row(n)[:t.width] }

func (t *table) parent(n uint32) uint32 { return uint32(t.row(n)[t.width+rowParent]) }
func (t *table) action(n uint32) int16  { return int16(t.row(n)[t.width+rowAction]) }

// find returns the number of the state with a tuple; noState if there is none.
func (t *table) find(tuple []int32) uint32 {
	h := hash(tuple)
	of := shardOf(h)
	n, ok := t.shards[of].find(tuple, uint32(h))
	if !ok {
		return noState
	}
	return of<<shardShift | n
}

// add adds a single state.
func (t *table) add(tuple []int32, parent uint32, action int16) {
	h := hash(tuple)
	row := append(slices.Clone(tuple), int32(parent), int32(action))
	t.shards[shardOf(h)].add(row, []uint32{uint32(h)})
}

func (s *shard) row(n uint32) []int32 {
	at := int(n&(1<<chunkLog-1)) * s.stride
	return s.chunks[n>>chunkLog][at : at+s.stride : at+s.stride]
}

func (s *shard) find(tuple []int32, h uint32) (uint32, bool) {
	i, free := s.probe(tuple, h)
	if free {
		return 0, false
	}
	return s.slots[i]&(1<<s.log-1) - 1, true
}

// probe returns the slot of a tuple, or a free one where it would go.
func (s *shard) probe(tuple []int32, h uint32) (i uint32, free bool) {
	places := uint32(1)<<s.log - 1
	for i = h & places; ; i = (i + 1) & places {
		slot := s.slots[i]
		if slot == 0 {
			return i, true
		}
		if slot>>s.log == h>>s.log && equal(tuple, s.row(slot&places-1)) {
			return i, false
		}
	}
}

// equal says whether a row begins with a tuple.
func equal(tuple, row []int32) bool {
	row = row[:len(tuple)]
	for i, x := range tuple {
		if x != row[i] {
			return false
		}
	}
	return true
}

// ahead is how many rows are looked at before the first of them is added: the
// memory that they need is then on its way all at once.
const ahead = 16

// add adds those of the rows whose tuples are new, in order. What it returns
// has no meaning; it keeps the compiler from leaving out the look ahead.
func (s *shard) add(rows []int32, hashes []uint32) (touched int32) {
	var slots [ahead]uint32
	for from := 0; from < len(hashes); from += ahead {
		group := hashes[from:min(from+ahead, len(hashes))]
		places := uint32(1)<<s.log - 1
		for i, h := range group {
			slots[i] = s.slots[h&places]
		}
		for i, h := range group {
			if slot := slots[i]; slot != 0 && slot>>s.log == h>>s.log {
				touched ^= s.row(slot&places - 1)[0]
			}
		}
		for i, h := range group {
			at := (from + i) * s.stride
			s.addRow(rows[at:at+s.stride], h)
		}
	}
	return touched
}

func (s *shard) addRow(row []int32, h uint32) {
	i, free := s.probe(row[:s.stride-rowExtra], h)
	if !free {
		return
	}
	if s.n>>chunkLog == uint32(len(s.chunks)) {
		s.chunks = append(s.chunks, make([]int32, s.stride<<chunkLog))
	}
	copy(s.row(s.n), row)
	s.n++
	s.slots[i] = h>>s.log<<s.log | s.n
	if uint64(s.n)*4 > uint64(len(s.slots))*3 {
		s.grow()
	}
}

func (s *shard) grow() {
	s.log++
	s.slots = make([]uint32, 1<<s.log)
	places := uint32(1)<<s.log - 1
	for n := range s.n {
		h := uint32(hash(s.row(n)[:s.stride-rowExtra]))
		i := h & places
		for s.slots[i] != 0 {
			i = (i + 1) & places
		}
		s.slots[i] = h>>s.log<<s.log | (n + 1)
	}
}

func hash(tuple []int32) uint64 {
	h := uint64(14695981039346656037)
	for _, w := range tuple {
		h = (h ^ uint64(uint32(w))) * 0x9E3779B97F4A7C15
		h ^= h >> 29
	}
	return h
}

// shardOf takes bits of a hash that its place in the shard does not depend on.
func shardOf(h uint64) uint32 { return uint32(h >> (64 - shardBits)) }
