package explore

import (
	"math/bits"

	"lockstep/sim/internal/parallel"
)

// A visitedSet holds the states that are reached, each as one row: the packed
// state and the number of its parent, the state from which it was first reached.
// It compares whole states, so equal hashes do not merge two states.
//
// It consists of shards, so that workers can add to different shards in
// parallel. A state's hash determines its shard; a state's number is made of its
// shard and its place in the shard.
type visitedSet struct {
	layout layout
	parts  int // of a state
	shards [shardCount]shard
}

const (
	shardBits  = 4
	shardCount = 1 << shardBits
	shardShift = 32 - shardBits
	// maxShard has the bits of a state's number that are its place in the shard.
	maxShard = 1<<shardShift - 1
	chunkLog = 10 // log2 of the rows of a chunk; chunks never move
)

type shard struct {
	stride int // of a row
	chunks [][]uint32
	n      uint32 // rows
	// A slot holds the place of a row plus 1 in its lower bits, and a part of
	// the hash in the others; 0 means free. At most four fifths are used.
	slots []uint32
	log   int // bits of a slot for the place
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

// bytes returns the memory of the set.
func (v *visitedSet) bytes() int {
	n := 0
	for i := range v.shards {
		s := &v.shards[i]
		n += 4*len(s.slots) + 4*s.stride<<chunkLog*len(s.chunks)
	}
	return n
}

// row returns a state's row. The caller must not change it.
func (v *visitedSet) row(n uint32) []uint32 {
	return v.shards[n>>shardShift].row(n & maxShard)
}

// at returns a state.
func (v *visitedSet) at(n uint32) state {
	s := make(state, v.parts)
	v.layout.unpack(s, v.row(n))
	return s
}

// faults returns the faults that a state has spent.
func (v *visitedSet) faults(n uint32) int {
	return int(v.layout.fields[v.parts-stateExtra+stateFaults].of(v.row(n)))
}

func (v *visitedSet) parent(n uint32) uint32 { return v.row(n)[v.layout.words] }

// find returns the number of a state; noState if it is not in the set.
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

// add adds a single state, which must fit into the layout.
func (v *visitedSet) add(s state, parent uint32) {
	row := make([]uint32, v.layout.words, v.layout.words+1)
	v.layout.pack(row, s)
	h := mix(s.hash())
	v.shards[shardOf(h)].add(&v.layout, append(row, parent), []uint32{uint32(h)})
}

// widen repacks all states. sizes has the number of different values of each
// part of a state.
func (v *visitedSet) widen(sizes []int, jobs int) {
	to := newLayout(sizes)
	parallel.Do(jobs, shardCount, func(_, i int) {
		s := &v.shards[i]
		for c, chunk := range s.chunks {
			used := min(int(s.n)-c<<chunkLog, 1<<chunkLog) * s.stride
			s.chunks[c] = repack(chunk[:used], v.parts, &v.layout, &to, 1<<chunkLog)[:(to.words+1)<<chunkLog]
		}
		s.stride = to.words + 1
	})
	v.layout = to
}

// repack converts rows from one layout to another. There is room for a number of rows.
func repack(rows []uint32, parts int, from, to *layout, room int) []uint32 {
	s := make(state, parts)
	packed := make([]uint32, 0, room*(to.words+1))
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

// place returns the place, in the shard, of the row to which a slot points.
func (s *shard) place(slot uint32) uint32 { return slot&(1<<s.log-1) - 1 }

// start returns the slot at which the search for a hash begins.
func (s *shard) start(h uint32) int { return int(uint64(h) * uint64(len(s.slots)) >> 32) }

// probe returns the slot of a key, or the free slot for it.
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

// begins reports whether a row begins with a key.
func begins(row, key []uint32) bool {
	row = row[:len(key)]
	for i, x := range key {
		if x != row[i] {
			return false
		}
	}
	return true
}

// ahead is the number of rows that are prefetched before the first of them is
// added.
const ahead = 16

// add adds the rows whose states are new, in order. The result has no meaning;
// it keeps the compiler from removing the prefetch.
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
	//lint:ignore S1001 a row is so short that copy is not faster
	for i := range row {
		to[i] = row[i]
	}
	s.n++
	s.slots[i] = h<<s.log | s.n
	if s.n == s.room() {
		s.resize(l, len(s.slots)/2*3)
	}
}

// room returns the maximum number of rows for the slots.
func (s *shard) room() uint32 { return uint32(len(s.slots) / 5 * 4) }

// resize makes a number of new slots and enters all rows.
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

// shardOf returns the shard of a hash. It uses the highest bits; the slots use
// only the lowest 32.
func shardOf(h uint64) uint32 { return uint32(h >> (64 - shardBits)) }
