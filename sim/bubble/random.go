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

// A stream holds the random numbers of a run, the same for every run of a
// client.
type stream struct {
	mu     sync.Mutex
	src    *mathrand.ChaCha8
	delays string         // of history.Config
	varied map[string]int // how often, by site; see draw
}

func newStream(client, delays string) *stream {
	return &stream{src: mathrand.NewChaCha8(sha256.Sum256([]byte(client))), delays: delays, varied: map[string]int{}}
}

func (s *stream) Read(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.src.Read(b)
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

// Seed makes crypto/rand, math/rand and math/rand/v2 return the same numbers in
// every run of a client, in the whole process from now on. Outside of bubbles
// they stay random.
func Seed() { taken() }

// For crypto/rand it is so from the beginning: code outside of bubbles may read at any time.
func init() { rand.Reader = reader{rand.Reader} }

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
