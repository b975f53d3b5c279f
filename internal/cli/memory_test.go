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

// TestAlone: a run has one processor and makes garbage until the first collection; what
// comes after it has what was before.
func TestAlone(t *testing.T) {
	t.Setenv("GOGC", "")
	processors := runtime.GOMAXPROCS(2)
	defer runtime.GOMAXPROCS(processors)
	defer debug.SetGCPercent(debug.SetGCPercent(123))
	collects := func() uint64 {
		percent := []metrics.Sample{{Name: "/gc/gogc:percent"}}
		metrics.Read(percent)
		return percent[0].Value.Uint64()
	}
	end := alone()
	if got := runtime.GOMAXPROCS(0); got != 1 {
		t.Errorf("a run has %d processors", got)
	}
	if got := collects(); got <= 123 {
		t.Errorf("a run collects as often as before, at %d%%", got)
	}
	runtime.GC()
	for n := 0; collects() != 123 && n < 1_000_000; n++ {
		runtime.Gosched()
	}
	if got := collects(); got != 123 {
		t.Errorf("after the first collection: %d%%", got)
	}
	end()
	alone()()
	if p, got := runtime.GOMAXPROCS(0), collects(); p != 2 || got != 123 {
		t.Errorf("after it: %d processors, %d%%", p, got)
	}
}
