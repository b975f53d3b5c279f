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

// A stream is the random numbers of a run: the same for every run of a client.
type stream struct {
	mu   sync.Mutex
	src  *mathrand.ChaCha8
	seed int64
}

func newStream(name string) *stream {
	sum := sha256.Sum256([]byte(name))
	return &stream{src: mathrand.NewChaCha8(sum), seed: int64(binary.LittleEndian.Uint64(sum[:]))}
}

// again lets math/rand, which all clients share, go on as it always does before
// the nth thing is observed. It takes the setting randseednop=0.
func (s *stream) again(n int) {
	oldrand.Seed(s.seed + int64(n)) //lint:ignore SA1019 nothing else makes its numbers repeatable
}

func (s *stream) Read(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.src.Read(b)
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

// Seed makes crypto/rand give every run of a client the same numbers, in this
// whole process from now on. Those that others draw stay random.
var Seed = sync.OnceFunc(func() { rand.Reader = reader{rand.Reader} })

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
