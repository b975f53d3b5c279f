package bubble

import (
	oldrand "math/rand"
	mathrand "math/rand/v2"
	"reflect"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync/atomic"
	"unsafe"
)

// This file is unsafe, and no other but for the labels in task.go. It replaces the generators behind the
// top-level functions of math/rand and math/rand/v2, for which these packages
// offer no way: v2 cannot be seeded, and a seed would be the whole process's.
//
// Each package keeps its *Rand in a private variable. A stack trace printed
// within Rand.Shuffle shows the pointer, as its first argument. This needs no
// flag of the compiler or linker and no knowledge of the processor. Before
// anything is written, the pointer has to be marked as live, and the Rand has to
// hold the source that is expected. Afterwards the next draw has to come from the
// new one. Where that is not so, all stays as it was, and draws are found by
// running the code twice (names.go). TestTakeOver fails with a release of Go in
// which this no longer works.

// takeOver replaces both generators, and reports which it could replace. Draws
// inside of bubbles are those of their streams, others random as before.
func takeOver() (newer, older bool) {
	if r := generator[mathrand.Rand]("math/rand/v2", mathrand.Shuffle, "rand.runtimeSource"); r != nil {
		was := *r
		own := &source{outside: was.Uint64}
		*r = *mathrand.New(own)
		mathrand.Uint64()
		if newer = own.proven(); !newer {
			*r = was
		}
	}
	if r := generator[oldrand.Rand]("math/rand", oldrand.Shuffle, "*rand.runtimeSource"); r != nil {
		was := *r
		own := &oldSource{source{outside: was.Uint64}}
		*r = *oldrand.New(own)
		oldrand.Uint64()
		if older = own.proven(); !older {
			*r = was
		} else if left := reflect.ValueOf(r).Elem().FieldByName("readPos"); left.IsValid() {
			forgetRead = func() {
				if left.Int() != 0 {
					*r = *oldrand.New(own)
				}
			}
		}
	}
	return newer, older
}

// forgetRead drops the bytes that math/rand keeps for the next Read, of whoever.
var forgetRead = func() {}

// generator returns the generator behind the Shuffle of a package, if its source
// has a certain type, or nil.
func generator[R any](pkg string, shuffle func(n int, swap func(i, j int)), source string) (r *R) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if recover() != nil { // it is no Rand
			r = nil
		}
	}()
	shuffle(2, func(int, int) {
		if at, ok := argument(stack(), pkg+".(*Rand).Shuffle", 0); ok {
			word := uintptr(at)
			r = *(**R)(unsafe.Pointer(&word))
		}
	})
	if r == nil || reflect.ValueOf(r).Elem().FieldByName("src").Elem().Type().String() != source {
		return nil
	}
	return r
}

// stack is the calling goroutine's, as text.
func stack() string {
	text := make([]byte, 4096)
	return string(text[:runtime.Stack(text, false)])
}

// argument returns an argument of a function on a stack. It is not ok if the
// function is not there, or if its argument need not be what it was called with.
func argument(stack, function string, n int) (value uint64, ok bool) {
	_, rest, _ := strings.Cut(stack, "\n"+function+"(")
	list, _, _ := strings.Cut(rest, ")\n")
	words := strings.Split(list, ", ")
	if n >= len(words) {
		return 0, false
	}
	value, err := strconv.ParseUint(words[n], 0, 64)
	return value, err == nil
}

// A source is that of math/rand/v2.
type source struct {
	outside func() uint64
	drawn   atomic.Bool
	ready   atomic.Bool // for draws in bubbles
}

// proven reports whether a number was drawn. Draws in bubbles are those of their
// streams from now on.
func (s *source) proven() bool {
	s.ready.Store(true)
	return s.drawn.Load()
}

func (s *source) Uint64() uint64 { return s.draw(false) }

func (s *source) draw(older bool) uint64 {
	s.drawn.Store(true)
	if s.ready.Load() {
		if own := streamHere(); own != nil {
			return own.draw(older)
		}
	}
	return s.outside()
}

// An oldSource is that of math/rand.
type oldSource struct{ source }

func (s *oldSource) Uint64() uint64 { return s.draw(true) }

func (s *oldSource) Int63() int64 { return int64(s.draw(true) >> 1) }

func (s *oldSource) Seed(int64) {}
