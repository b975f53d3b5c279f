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

// A Look is the form of random numbers. A lock may rely on more than their
// uniqueness.
type Look string

const (
	Random    Look = "random"
	Counter   Look = "counter"   // increasing, and B's are greater than A's
	Short     Look = "short"     // zero except for the last byte
	Colliding Look = "colliding" // random, but equal for all clients
)

// Looks lists all Looks.
func Looks() []Look {
	return []Look{Random, Counter, Short, Colliding}
}

// A stream holds the random numbers of a run, the same for every run of a
// client.
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

// shared is the state of math/rand, which the whole process shares. Making its
// numbers repeatable takes as long as a step of a lock, so it is delayed until
// the first draw. It needs the setting randseednop=0.
var shared struct {
	sync.Mutex
	drawn bool
	same  *oldrand.Rand // predicts math/rand while no code draws
}

// again makes math/rand repeatable from the nth observation on.
func (s *stream) again(n int) {
	shared.Lock()
	defer shared.Unlock()
	if shared.drawn {
		//lint:ignore SA1019 nothing else makes its numbers repeatable
		oldrand.Seed(s.seed + int64(n))
	}
}

// firstDrawn reports whether code has drawn from math/rand for the first time,
// and so cannot be repeated.
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

// streams are the streams of all runs, by the number of their bubble.
var streams sync.Map

// reader replaces that of crypto/rand. Each bubble reads its own stream.
type reader struct{ outside io.Reader }

func (r reader) Read(b []byte) (int, error) {
	if s, ok := streams.Load(number()); ok {
		return s.(*stream).Read(b)
	}
	return r.outside.Read(b)
}

// look is the Look of all random numbers in this process.
var look = Random

// Seed makes crypto/rand return the same numbers, of a certain Look, in every
// run of a client, in the whole process from now on. Outside of bubbles it
// stays random.
func Seed(as Look) {
	look = as
	seed()
}

var seed = sync.OnceFunc(func() { rand.Reader = reader{rand.Reader} })

// number returns the number of the bubble of the calling goroutine; 0 for none.
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
