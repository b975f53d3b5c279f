package bubble

import (
	"fmt"
	oldrand "math/rand"
	mathrand "math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"unsafe"
)

// TestTakeOver: on this release of Go, the top-level functions of math/rand and
// math/rand/v2 can be taken over. If this fails, generator has to find the new
// place; until then such draws are found by running locks twice.
func TestTakeOver(t *testing.T) {
	if newer, older := taken(); !newer || !older {
		t.Fatalf("math/rand/v2 %t, math/rand %t", newer, older)
	}
	numbers := map[string]func() string{
		"v2.Uint64":   func() string { return fmt.Sprint(mathrand.Uint64()) },
		"v2.N":        func() string { return fmt.Sprint(mathrand.N(uint64(1 << 60))) },
		"v2.Float64":  func() string { return fmt.Sprint(mathrand.Float64()) },
		"v2.Perm":     func() string { return fmt.Sprint(mathrand.Perm(40)) },
		"v2.Shuffle":  func() string { return shuffled(mathrand.Shuffle) },
		"rand.Int63":  func() string { return fmt.Sprint(oldrand.Int63()) },
		"rand.Uint64": func() string { return fmt.Sprint(oldrand.Uint64()) },
		"rand.Read": func() string {
			b := make([]byte, 10) // 4 of the bytes drawn are left
			//lint:ignore SA1019 locks may use it
			_, _ = oldrand.Read(b)
			return fmt.Sprintf("%x", b)
		},
		"rand.Shuffle": func() string { return shuffled(oldrand.Shuffle) },
	}
	for name, draw := range numbers {
		within := func() (s string) {
			synctest.Test(t, func(t *testing.T) {
				runs.Store(number(), &run{tasks: []*task{{reader: newStream("A", "")}}})
				defer runs.Delete(number())
				forgetRead()
				s = draw()
			})
			return s
		}
		first, again := within(), within()
		if first != again {
			t.Errorf("%s: in one bubble %s, in another %s", name, first, again)
		}
		if a, b := draw(), draw(); a == b || a == first || b == first {
			t.Errorf("%s: outside of bubbles it draws %s and %s, inside %s", name, a, b, first)
		}
	}
}

func shuffled(shuffle func(int, func(i, j int))) string {
	list := []byte(strings.Repeat("abcdefghij", 4))
	for i := range list {
		list[i] += byte(i / 10 * 10)
	}
	shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return string(list)
}

// TestArgument: only an argument that is live is read, of the function asked for.
func TestArgument(t *testing.T) {
	const stack = "goroutine 1 [running]:\np.inner(0x1?, 0x2)\n\t/p.go:1 +0x3a\np.(*R).outer(0xff, 0x3?, ...)\n\t/p.go:2 +0x43\np.alone()\n\t/p.go\n"
	for _, test := range []struct {
		function string
		n        int
		value    uint64
		ok       bool
	}{
		{"p.inner", 0, 0, false}, {"p.inner", 1, 2, true}, {"p.inner", 2, 0, false}, {"p.(*R).outer", 0, 255, true}, {"p.(*R).outer", 1, 0, false},
		{"p.(*R).outer", 2, 0, false}, {"p.alone", 0, 0, false}, {"inner", 1, 0, false}, {"q", 0, 0, false},
	} {
		if value, ok := argument(stack, test.function, test.n); ok != test.ok || ok && value != test.value {
			t.Errorf("argument %d of %s is %d, %t", test.n, test.function, value, ok)
		}
	}
}

// TestGenerator: what does not look like a generator is none, whatever the pointer.
func TestGenerator(t *testing.T) {
	if r := generator[mathrand.Rand]("math/rand/v2", mathrand.Shuffle, "rand.other"); r != nil {
		t.Error("its source is of another type")
	}
	if r := generator[mathrand.Rand]("math/rand/v3", mathrand.Shuffle, "rand.runtimeSource"); r != nil {
		t.Error("another function")
	}
	if r := generator[struct{ src int }]("math/rand/v2", mathrand.Shuffle, "rand.runtimeSource"); r != nil {
		t.Error("another layout")
	}
	word := uintptr(1<<40 | 8)
	nowhere := *(**Rand)(unsafe.Pointer(&word))
	if r := generator[Rand]("lockstep/sim/bubble", nowhere.Shuffle, "rand.runtimeSource"); r != nil {
		t.Error("a pointer to nowhere")
	}
}

// A Rand has the method that generator looks for.
type Rand struct {
	//lint:ignore U1000 generator does
	src mathrand.Source
}

//go:noinline
func (r *Rand) Shuffle(n int, swap func(i, j int)) {
	swap(0, n-1)
	runtime.KeepAlive(r)
}
