package bubble

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"io"
	oldrand "math/rand"
	mathrand "math/rand/v2"
	"runtime"
	"strconv"
	"strings"
	"sync"
)

// A Look says what random numbers look like: a lock may rest on more than that no
// two are the same.
type Look string

const (
	Random    Look = "random"
	Counter   Look = "counter"   // each is greater than the one before, and B's than A's
	Short     Look = "short"     // nothing but zeros before the last byte
	Colliding Look = "colliding" // random, and the same for all clients
)

// Looks lists them.
func Looks() []Look {
	return []Look{Random, Counter, Short, Colliding}
}

// A stream is the random numbers of a run: the same for every run of a client.
type stream struct {
	mu     sync.Mutex
	src    *mathrand.ChaCha8
	seed   int64
	look   Look
	client byte
	drawn  uint64
}

func newStream(client string) *stream {
	s := &stream{look: look, client: client[0]}
	if look == Colliding {
		client = ""
	}
	sum := sha256.Sum256([]byte(client))
	s.src, s.seed = mathrand.NewChaCha8(sum), int64(binary.LittleEndian.Uint64(sum[:]))
	return s
}

// shared is what is known of math/rand, whose numbers all code of this process
// shares. To make them repeatable takes as long as a step of a lock, so that it is
// not done before anybody has drawn one. It takes the setting randseednop=0.
var shared struct {
	sync.Mutex
	drawn bool
	same  *oldrand.Rand // goes on as math/rand does while nobody draws
}

// again lets math/rand go on as it always does before the nth thing is observed.
func (s *stream) again(n int) {
	shared.Lock()
	defer shared.Unlock()
	if shared.drawn {
		//lint:ignore SA1019 nothing else makes its numbers repeatable
		oldrand.Seed(s.seed + int64(n))
	}
}

// firstDrawn says whether somebody has drawn from math/rand who could not have been
// told the same again.
func firstDrawn() bool {
	shared.Lock()
	defer shared.Unlock()
	switch {
	case shared.drawn:
		return false
	case shared.same == nil:
		shared.same = oldrand.New(oldrand.NewSource(1))
		//lint:ignore SA1019 nothing else makes its numbers repeatable
		oldrand.Seed(1)
	}
	shared.drawn = oldrand.Int63() != shared.same.Int63()
	return shared.drawn
}

func (s *stream) Read(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.look == Random || s.look == Colliding || len(b) == 0 {
		return s.src.Read(b)
	}
	s.drawn++
	last := s.drawn<<8 | uint64(s.client)
	if s.look == Short {
		last = s.drawn<<4&0xf0 | uint64(s.client)&0xf
	}
	clear(b)
	for i := len(b) - 1; i >= 0 && last > 0; i-- {
		b[i] = byte(last)
		last >>= 8
	}
	return len(b), nil
}

// streams are those of all runs, by the number of their bubble.
var streams sync.Map

// reader takes the place of crypto/rand's: it gives each bubble what is its own.
type reader struct{ outside io.Reader }

func (r reader) Read(b []byte) (int, error) {
	if s, ok := streams.Load(number()); ok {
		return s.(*stream).Read(b)
	}
	return r.outside.Read(b)
}

// look is what all of this process look like.
var look = Random

// Seed makes crypto/rand give every run of a client the same numbers, which look
// so, in this whole process from now on. Those that others draw stay random.
func Seed(as Look) {
	look = as
	seed()
}

var seed = sync.OnceFunc(func() { rand.Reader = reader{rand.Reader} })

// number returns that of the bubble of the calling goroutine; 0 for none.
func number() int {
	var buf [128]byte
	line := string(buf[:runtime.Stack(buf[:], false)])
	_, rest, found := strings.Cut(line, "synctest bubble ")
	if !found {
		return 0
	}
	digits, _, _ := strings.Cut(rest, "]")
	n, _ := strconv.Atoi(digits)
	return n
}
