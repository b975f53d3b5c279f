package cli

import (
	"math"
	"os"
	"runtime/debug"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"github.com/dustin/go-humanize"

	"lockstep/internal/lang"
)

// A size is a flag that holds a number of bytes.
type size int

func (*size) Type() string { return "SIZE" }

func (n *size) String() string { return humanize.IBytes(uint64(*n)) }

// leastSize is what a search takes at the least, about.
const leastSize = 1 << 20

func (n *size) Set(s string) error {
	value, err := humanize.ParseBytes(s)
	if err != nil || value < leastSize || value > math.MaxInt {
		return lang.Errorf("use a size from 1MiB on, as 512MiB or 2GiB")
	}
	*n = size(value)
	return nil
}

// memoryFlag limits a search to a third of what this process may take: what is
// asked of its states afterwards takes up to half as much again, and the
// garbage collector lets both double before it collects.
func memoryFlag() size { return size(mostMemory() / 3) }

// mostMemory is how many bytes this process may take.
func mostMemory() uint64 {
	return leastOf(memlimit.FromCgroup, memlimit.FromSystem, fromGo)
}

// fromGo is what GOMEMLIMIT says.
func fromGo() (uint64, error) { return uint64(debug.SetMemoryLimit(-1)), nil }

// unknownMemory is taken for what a process may take where nobody knows.
const unknownMemory = 6 << 30

// leastOf returns the least of several limits; one that is MaxInt64 or about
// that is none.
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

// rarelyCollect trades memory for time, unless GOGC says otherwise: a run makes
// much that is soon garbage, of worlds that are small as a rule. limitMemory is
// for those that are not.
func rarelyCollect() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
}

// limitMemory has a search collect more often when its garbage takes as much
// memory as its states may. What it returns undoes it.
func limitMemory(memory size) func() {
	limit := debug.SetMemoryLimit(-1)
	debug.SetMemoryLimit(min(limit, 2*int64(memory)))
	return func() { debug.SetMemoryLimit(limit) }
}
