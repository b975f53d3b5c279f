package cli

import (
	"errors"
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

// TestMostMemory: whatever limits this process counts, and no limit is none.
func TestMostMemory(t *testing.T) {
	none := func() (uint64, error) { return 0, errors.New("nobody knows") }
	for _, tt := range []struct {
		limits []memlimit.Provider
		want   uint64
	}{
		{[]memlimit.Provider{memlimit.Limit(3 << 30), memlimit.Limit(2 << 30), memlimit.Limit(4 << 30)}, 2 << 30},
		{[]memlimit.Provider{none, memlimit.Limit(8 << 30), memlimit.Limit(math.MaxInt64)}, 8 << 30},
		{[]memlimit.Provider{memlimit.Limit(math.MaxInt64 - 4095), memlimit.Limit(0), none}, unknownMemory},
	} {
		if got := leastOf(tt.limits...); got != tt.want {
			t.Errorf("%d, want %d", got, tt.want)
		}
	}
	if got := mostMemory(); got < 16<<20 || got > 1<<50 {
		t.Errorf("this machine has %d bytes", got)
	}
}

// TestSize: a size is read as it is written.
func TestSize(t *testing.T) {
	for text, want := range map[string]size{"1MiB": 1 << 20, "2 GiB": 2 << 30, "64mb": 64_000_000, "1048576": 1 << 20} {
		var n size
		if err := n.Set(text); err != nil || n != want {
			t.Errorf("%s is %d, %v", text, n, err)
		}
	}
	for _, text := range []string{"", "1023KiB", "-2GiB", "much", "9000PiB", "99999999999999999999", "NaN"} {
		n := size(7)
		if err := n.Set(text); err == nil || n != 7 {
			t.Errorf("%q is %d", text, n)
		}
	}
	n := size(3 << 29)
	if err := n.Set(n.String()); err != nil || n != 3<<29 {
		t.Errorf("%s, %v", &n, err)
	}
}

// collects returns GOGC.
func collects() uint64 {
	percent := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	metrics.Read(percent)
	return percent[0].Value.Uint64()
}

// TestLimitMemory: a search collects the more often the more of its memory is alive, and
// what comes after it as often as what was before.
func TestLimitMemory(t *testing.T) {
	t.Setenv("GOGC", "")
	defer debug.SetGCPercent(debug.SetGCPercent(123))
	limit := debug.SetMemoryLimit(-1)
	end := limitMemory(1 << 30)
	if got := collects(); got < 200 || got > 400 || debug.SetMemoryLimit(-1) != 2<<30 {
		t.Errorf("%d%%, and a limit of %d", got, debug.SetMemoryLimit(-1))
	}
	states := make([]byte, 80<<20)
	runtime.GC()
	for n := 0; collects() >= 200 && n < 1_000_000; n++ {
		runtime.Gosched()
	}
	if got := collects(); got < 100 || got > 120 {
		t.Errorf("%d%% while %d bytes are alive", got, len(states))
	}
	runtime.KeepAlive(states)
	end()
	runtime.GC()
	if got := collects(); got != 123 || debug.SetMemoryLimit(-1) != limit {
		t.Errorf("after it: %d%%, and a limit of %d", got, debug.SetMemoryLimit(-1))
	}
	for alive, want := range map[uint64]int{0: 400, 4 << 20: 400, 6 << 20: 266, 8 << 20: 200, 48 << 20: 200, 64 << 20: 150, 96 << 20: 100, 1 << 40: 100} {
		if got := percentFor(alive); got != want {
			t.Errorf("%d bytes alive: %d%%", alive, got)
		}
	}
}
