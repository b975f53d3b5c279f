package bubble

import (
	"maps"
	"math"
	"slices"
	"sync"

	"lockstep/sim/history"
	"lockstep/sim/program"
)

// This file is about code that draws how long it waits, as a retry with jitter
// does. A site is a line of code that draws from math/rand or math/rand/v2. Where
// its numbers become delays and nothing else, history.Config.Delay applies to it.
// It must not apply to a site of tokens: the smallest ones of two clients are equal.

// sites are what is known of the lines that draw, in the whole process.
var sites = struct {
	sync.Mutex
	drawn   map[string]bool
	flipped string          // see Flip
	delays  map[string]bool // those of delays
}{drawn: map[string]bool{}}

// Sites lists the lines that have drawn in bubbles.
func Sites() []string {
	sites.Lock()
	defer sites.Unlock()
	return slices.Sorted(maps.Keys(sites.drawn))
}

// Flip lets a site draw other numbers than before; "" for none. What the code does
// otherwise from then on is what it makes of them.
func Flip(site string) {
	sites.Lock()
	defer sites.Unlock()
	sites.flipped = site
}

// Delays says at which sites delays are drawn.
func Delays(at []string) {
	sites.Lock()
	defer sites.Unlock()
	sites.delays = map[string]bool{}
	for _, site := range at {
		sites.delays[site] = true
	}
}

// maxVaried bounds the extreme delays of a run at a site. Later ones are as drawn:
// code may draw until it likes the number, or spin where it never waits, or rely on
// it that two clients do not for ever wait equally long.
const maxVaried = 3

// draw draws a number for math/rand/v2, or for math/rand if it is older.
func (s *stream) draw(older bool) uint64 {
	site := program.CallerSource()
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.src.Uint64()
	sites.Lock()
	defer sites.Unlock()
	sites.drawn[site] = true
	if site == sites.flipped {
		return ^n
	}
	if !sites.delays[site] || s.varied[site] == maxVaried {
		return n
	}
	switch s.delays {
	case history.Shortest:
		s.varied[site]++
		return least(older)
	case history.Longest:
		s.varied[site]++
		return most(older)
	}
	return n
}

// least is the number from which math/rand and math/rand/v2 make their smallest
// ones. With 0, v2 would draw again.
func least(older bool) uint64 {
	if older {
		return 0
	}
	return 1<<32 | 1
}

// most is the number from which they make their greatest ones. Where math/rand
// divides by a bound, it is the bound less 1.
func most(older bool) uint64 {
	if !older {
		return math.MaxUint64
	}
	text := stack()
	if n, ok := argument(text, "math/rand.(*Rand).Int31n", 1); ok {
		return (n - 1) << 33
	}
	if n, ok := argument(text, "math/rand.(*Rand).Int63n", 1); ok {
		return (n - 1) << 1
	}
	return math.MaxUint64
}
