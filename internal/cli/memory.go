package cli

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"github.com/dustin/go-humanize"

	"lockstep/internal/lang"
)

// A size is a flag that holds a number of bytes.
type size int

func (*size) Type() string { return "SIZE" }

func (n *size) String() string { return humanize.IBytes(uint64(*n)) }

// leastSize is about the least that a search takes.
const leastSize = 1 << 20

func (n *size) Set(s string) error {
	value, err := humanize.ParseBytes(s)
	if err != nil || value < leastSize || value > math.MaxInt {
		return lang.Errorf("use a size from 1MiB on, as 512MiB or 2GiB")
	}
	*n = size(value)
	return nil
}

// memoryFlag is the default limit of a search: a third of this process's memory.
// Later checks of the states take up to half as much again, and the garbage
// collector lets both double.
func memoryFlag() size { return size(mostMemory() / 3) }

// mostMemory is the number of bytes that this process may use.
var mostMemory = sync.OnceValue(func() uint64 {
	return leastOf(memlimit.FromCgroup, memlimit.FromSystem, fromGo)
})

// fromGo is the value of GOMEMLIMIT.
func fromGo() (uint64, error) { return uint64(debug.SetMemoryLimit(-1)), nil }

// unknownMemory is assumed where no limit is known.
const unknownMemory = 6 << 30

// leastOf returns the least of several limits; one of about MaxInt64 is none.
func leastOf(limits ...memlimit.Provider) uint64 {
	least := uint64(math.MaxInt64 / 2)
	for _, limit := range limits {
		if n, err := limit(); err == nil && n > 0 {
			least = min(least, n)
		}
	}
	if least == math.MaxInt64/2 {
		return unknownMemory
	}
	return min(least, math.MaxInt)
}

// collect sets how rarely garbage is collected, unless GOGC does, and returns what it
// was. A run makes much garbage, but worlds are small.
func collect(percent int) (before int) {
	if os.Getenv("GOGC") != "" {
		return percent
	}
	return debug.SetGCPercent(percent)
}

// limitMemory gives the garbage of a search a budget: twice as much as is alive, but at least
// leastGarbage; beyond mostGarbage only as much as is alive, and less once it takes as much
// memory as the states may. The function it returns undoes that.
func limitMemory(memory size) func() {
	limit, before := debug.SetMemoryLimit(-1), collect(percentFor(0))
	debug.SetMemoryLimit(min(limit, 2*int64(memory)))
	var mu sync.Mutex
	ended := false
	var collected func([]metrics.Sample)
	collected = func(alive []metrics.Sample) {
		mu.Lock()
		defer mu.Unlock()
		if ended {
			return
		}
		metrics.Read(alive)
		collect(percentFor(alive[0].Value.Uint64()))
		runtime.AddCleanup(&struct{ _ *int }{}, collected, alive) // by the next collection
	}
	collected([]metrics.Sample{{Name: "/gc/heap/live:bytes"}})
	return func() {
		mu.Lock()
		defer mu.Unlock()
		ended = true
		debug.SetMemoryLimit(limit)
		collect(before)
	}
}

const (
	leastHeap    = 4 << 20 // at which Go first collects, with GOGC=100
	leastGarbage = 16 << 20
	mostGarbage  = 96 << 20
)

// percentFor is GOGC for a search of which some bytes are alive.
func percentFor(alive uint64) int {
	alive = max(leastHeap, alive)
	return int(max(100, min(mostGarbage*100/alive, 200), leastGarbage*100/alive))
}
