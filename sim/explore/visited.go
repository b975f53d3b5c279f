package explore

import (
	"math/bits"
)

// A visitedSet holds the distinct states, each a row: the packed state and then
// the number of the one from which it was first reached. It compares whole
// states: there is no hash that could make two of them one.
//
// It consists of shards, so that several workers can add to it at a time, each
// to one shard. Which shard a state belongs to follows from its hash; its
// number is that of the shard and its place there.
type visitedSet struct {
	layout layout
	parts  int // of a state
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
	chunks [][]uint32
	n      uint32 // rows
	// slots hold the place of a row + 1 and, in the bits that it leaves free, a
	// part of the hash; 0 is free. At most four of five are taken.
	slots []uint32
	log   int // bits for the place
}

// noState is the parent of the first state.
const noState = ^uint32(0)

func newVisitedSet(sizes []int) *visitedSet {
	v := &visitedSet{layout: newLayout(sizes), parts: len(sizes)}
	for i := range v.shards {
		v.shards[i] = shard{stride: v.layout.words + 1}
		v.shards[i].resize(&v.layout, 64)
	}
	return v
}

func (v *visitedSet) len() int {
	n := 0
	for i := range v.shards {
		n += int(v.shards[i].n)
	}
	return n
}

// bytes says how much memory the set takes.
func (v *visitedSet) bytes() int {
	n := 0
	for i := range v.shards {
		s := &v.shards[i]
		n += 4*len(s.slots) + 4*s.stride<<chunkLog*len(s.chunks)
	}
	return n
}

// row returns a state's row, which must not be changed.
func (v *visitedSet) row(n uint32) []uint32 {
	return v.shards[n>>shardShift].row(n & maxShard)
}

// at returns a state.
func (v *visitedSet) at(n uint32) state {
	s := make(state, v.parts)
	v.layout.unpack(s, v.row(n))
	return s
}

func (v *visitedSet) parent(n uint32) uint32 { return v.row(n)[v.layout.words] }

// find returns the number of a state; noState if it is not there.
func (v *visitedSet) find(s state) uint32 {
	key := make([]uint32, v.layout.words)
	if !v.layout.pack(key, s) {
		return noState
	}
	h := mix(s.hash())
	of := &v.shards[shardOf(h)]
	i, free := of.probe(key, uint32(h))
	if free {
		return noState
	}
	return shardOf(h)<<shardShift | of.place(of.slots[i])
}

// add adds a single state, for which there is room in the layout.
func (v *visitedSet) add(s state, parent uint32) {
	row := make([]uint32, v.layout.words, v.layout.words+1)
	v.layout.pack(row, s)
	h := mix(s.hash())
	v.shards[shardOf(h)].add(&v.layout, append(row, parent), []uint32{uint32(h)})
}

// widen packs all states anew, so that there is room for so many different
// numbers in each part. Nothing else changes.
func (v *visitedSet) widen(sizes []int, jobs int) {
	to := newLayout(sizes)
	parallel(jobs, shardCount, func(_, i int) {
		s := &v.shards[i]
		for c, chunk := range s.chunks {
			s.chunks[c] = repack(chunk, v.parts, &v.layout, &to)
		}
		s.stride = to.words + 1
	})
	v.layout = to
}

// repack returns rows of one layout in another.
func repack(rows []uint32, parts int, from, to *layout) []uint32 {
	s := make(state, parts)
	packed := make([]uint32, 0, len(rows)/(from.words+1)*(to.words+1))
	for ; len(rows) > 0; rows = rows[from.words+1:] {
		from.unpack(s, rows)
		at := len(packed)
		packed = packed[:at+to.words+1]
		to.pack(packed[at:at+to.words], s)
		packed[at+to.words] = rows[from.words]
	}
	return packed
}

func (s *shard) row(n uint32) []uint32 {
	at := int(n&(1<<chunkLog-1)) * s.stride
	return s.chunks[n>>chunkLog][at : at+s.stride : at+s.stride]
}

// place returns the place of the row that a slot holds.
func (s *shard) place(slot uint32) uint32 { return slot&(1<<s.log-1) - 1 }

// start is the slot at which the search for a hash begins.
func (s *shard) start(h uint32) int { return int(uint64(h) * uint64(len(s.slots)) >> 32) }

// probe returns the slot of a key, or a free one where it would go.
func (s *shard) probe(key []uint32, h uint32) (i int, free bool) {
	tag := h << s.log
	for i = s.start(h); ; {
		slot := s.slots[i]
		if slot == 0 {
			return i, true
		}
		if slot>>s.log<<s.log == tag && begins(s.row(s.place(slot)), key) {
			return i, false
		}
		if i++; i == len(s.slots) {
			i = 0
		}
	}
}

// begins says whether a row begins with a key.
func begins(row, key []uint32) bool {
	row = row[:len(key)]
	for i, x := range key {
		if x != row[i] {
			return false
		}
	}
	return true
}

// ahead is how many rows are looked at before the first of them is added: the
// memory that they need is then on its way all at once.
const ahead = 16

// add adds those of the rows whose states are new, in order. What it returns
// has no meaning; it keeps the compiler from leaving out the look ahead.
func (s *shard) add(l *layout, rows, hashes []uint32) (touched uint32) {
	var slots [ahead]uint32
	for from := 0; from < len(hashes); from += ahead {
		group := hashes[from:min(from+ahead, len(hashes))]
		for i, h := range group {
			slots[i] = s.slots[s.start(h)]
		}
		for i, h := range group {
			if slot := slots[i]; slot != 0 && slot>>s.log<<s.log == h<<s.log {
				touched ^= s.row(s.place(slot))[0]
			}
		}
		for i, h := range group {
			at := (from + i) * s.stride
			s.addRow(l, rows[at:at+s.stride], h)
		}
	}
	return touched
}

func (s *shard) addRow(l *layout, row []uint32, h uint32) {
	i, free := s.probe(row[:s.stride-1], h)
	if !free {
		return
	}
	if s.n>>chunkLog == uint32(len(s.chunks)) {
		s.chunks = append(s.chunks, make([]uint32, s.stride<<chunkLog))
	}
	to := s.row(s.n)
	//lint:ignore S1001 they are too few for copy to pay
	for i := range row {
		to[i] = row[i]
	}
	s.n++
	s.slots[i] = h<<s.log | s.n
	if s.n == s.room() {
		s.resize(l, len(s.slots)/2*3)
	}
}

// room is how many rows the slots are for.
func (s *shard) room() uint32 { return uint32(len(s.slots) / 5 * 4) }

// resize makes new slots.
func (s *shard) resize(l *layout, slots int) {
	s.slots = make([]uint32, slots)
	s.log = bits.Len32(s.room())
	st := make(state, len(l.fields))
	for n := range s.n {
		l.unpack(st, s.row(n))
		h := uint32(mix(st.hash()))
		i := s.start(h)
		for s.slots[i] != 0 {
			if i++; i == len(s.slots) {
				i = 0
			}
		}
		s.slots[i] = h<<s.log | (n + 1)
	}
}

// shardOf takes bits of a hash that its place in the shard does not depend on.
func shardOf(h uint64) uint32 { return uint32(h >> (64 - shardBits)) }
