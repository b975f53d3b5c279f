package explore

import "math/bits"

// A state is one state of the whole world: a number for each client's state, in
// order, then the env, the monitor, the Spending and whether the cause has occurred. The numbers are those of
// package model.
type state []int32

// The parts of a state after the clients.
const (
	stateEnv = iota
	stateMonitor
	stateFaults // spent so far
	stateTicks  // spent so far
	stateCause  // 1 if Bounds.Because is violated
	stateExtra
)

func (s state) clients() []int32      { return s[:len(s)-stateExtra] }
func (s state) client(who int) int32  { return s[who] }
func (s state) rest(which int) *int32 { return &s[len(s)-stateExtra+which] }
func (s state) env() int32            { return *s.rest(stateEnv) }
func (s state) monitor() int32        { return *s.rest(stateMonitor) }
func (s state) faults() int           { return int(*s.rest(stateFaults)) }
func (s state) ticks() int            { return int(*s.rest(stateTicks)) }
func (s state) cause() int32          { return *s.rest(stateCause) }

// A layout defines how states are packed: each part has the bits of its largest
// number so far, in as few words as possible.
type layout struct {
	fields []field // in the order of a state
	words  int
}

// A field is the bits of a part of a state, all in one word.
type field struct {
	word  int
	shift uint32
	mask  uint32 // before the shift
}

// newLayout returns a layout for a number of different values, at least one, of
// each part.
func newLayout(sizes []int) layout {
	l := layout{fields: make([]field, len(sizes))}
	var used []int // bits of each word
	for i, size := range sizes {
		width, word := bits.Len32(uint32(size-1)), 0
		for word < len(used) && used[word]+width > 32 {
			word++
		}
		if word == len(used) {
			used = append(used, 0)
		}
		l.fields[i] = field{word, uint32(used[word]) & 31, uint32(1<<width - 1)}
		used[word] += width
	}
	l.words = len(used)
	return l
}

// fits reports whether there is room for a number of different values of each
// part.
func (l *layout) fits(sizes []int) bool {
	for i, size := range sizes {
		if uint32(size-1) > l.fields[i].mask {
			return false
		}
	}
	return true
}

// pack writes a state into the words of a key. It returns false if a number is
// too large.
func (l *layout) pack(key []uint32, s state) bool {
	clear(key)
	for i, f := range l.fields {
		if uint32(s[i]) > f.mask {
			return false
		}
		key[f.word] |= uint32(s[i]) << f.shift
	}
	return true
}

// unpack is the inverse of pack.
func (l *layout) unpack(s state, key []uint32) {
	for i := range l.fields {
		s[i] = l.fields[i].of(key)
	}
}

func (f *field) of(key []uint32) int32 {
	return int32(key[f.word] >> (f.shift & 31) & f.mask)
}

// set replaces a part of a key.
func (f *field) set(key []uint32, to int32) {
	key[f.word] = key[f.word]&^(f.mask<<(f.shift&31)) | uint32(to)<<(f.shift&31)
}

// hash is a sum over the parts of a state, independent of the layout, so that a
// part's contribution can be replaced. It must still be mixed.
func (s state) hash() (sum uint64) {
	for i, part := range s {
		sum += weigh(i, part)
	}
	return sum
}

// weigh returns a part's contribution to the hash of a state.
func weigh(i int, part int32) uint64 { return uint64(part) * weights[i%len(weights)] }

// weights are unrelated odd numbers: sums of small multiples of them are almost
// never equal for different multiples.
var weights = func() (list [64]uint64) {
	for i := range list {
		list[i] = mix(mix(uint64(i+1)*0x9E3779B97F4A7C15)) | 1
	}
	return list
}()

// mix spreads the bits of a sum.
func mix(h uint64) uint64 {
	h ^= h >> 32
	h *= 0xD6E8FEB86659FD93
	return h ^ h>>29
}
