package bubble

import (
	"crypto/rand"
	"crypto/sha256"
	"io"
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
	look   Look
	client byte
	read   uint64         // how often
	delays string         // of history.Config
	varied map[string]int // how often, by site; see draw
}

func newStream(client, delays string) *stream {
	s := &stream{look: look, client: client[0], delays: delays, varied: map[string]int{}}
	if look == Colliding {
		client = ""
	}
	s.src = mathrand.NewChaCha8(sha256.Sum256([]byte(client)))
	return s
}

func (s *stream) Read(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.look == Random || s.look == Colliding || len(b) == 0 {
		return s.src.Read(b)
	}
	s.read++
	last := s.read<<8 | uint64(s.client)
	if s.look == Short {
		last = s.read<<4&0xf0 | uint64(s.client)&0xf
	}
	clear(b)
	for i := len(b) - 1; i >= 0 && last > 0; i-- {
		b[i] = byte(last)
		last >>= 8
	}
	return len(b), nil
}

// runs are all runs, by the number of their bubble, and by the labels of their tasks.
var runs sync.Map

// streamHere returns the stream of the calling goroutine; nil outside of bubbles.
func streamHere() *stream {
	if r := here(); r != nil {
		return r.tasks[r.whose()].reader
	}
	return nil
}

// reader replaces that of crypto/rand. Each bubble reads its own stream.
type reader struct{ outside io.Reader }

func (r reader) Read(b []byte) (int, error) {
	if s := streamHere(); s != nil {
		return s.Read(b)
	}
	return r.outside.Read(b)
}

// look is the Look of all random numbers in this process.
var look = Random

// Seed makes crypto/rand, math/rand and math/rand/v2 return the same numbers in
// every run of a client, in the whole process from now on. Outside of bubbles
// they stay random. The numbers of crypto/rand have a certain Look.
func Seed(as Look) {
	look = as
	seed()
	taken()
}

// seed does so for crypto/rand alone.
var seed = sync.OnceFunc(func() { rand.Reader = reader{rand.Reader} })

// taken reports whether math/rand/v2 and math/rand were taken over.
var taken = sync.OnceValues(takeOver)

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
