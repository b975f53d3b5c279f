package testkit

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// failing notes that a test was ended instead of ending it.
type failing struct {
	testing.TB
	failed  bool
	skipped string
}

func (f *failing) Helper()                       {}
func (f *failing) Fatalf(string, ...any)         { f.failed = true }
func (f *failing) Skipf(format string, a ...any) { f.skipped = fmt.Sprintf(format, a...) }

func TestOf(t *testing.T) {
	for text, want := range map[string]int{"": 3, "1": 3, "20": 60, "1000000": 3_000_000} {
		t.Setenv("LOCKSTEP_RUNS", text)
		if got := Size(t, 3, 3); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
	for _, text := range []string{"0", "-1", "1.5", "many", "1000001", "99999999999999999999"} {
		t.Setenv("LOCKSTEP_RUNS", text)
		f := &failing{TB: t}
		if Size(f, 3, 3); !f.failed {
			t.Errorf("%q is taken for a number of times", text)
		}
		f = &failing{TB: t}
		if Long(f, "browsers"); !f.failed {
			t.Errorf("%q is taken for a number of times by Long", text)
		}
	}
}

func TestLong(t *testing.T) {
	for text, skipped := range map[string]bool{"": true, "1": true, "2": false, "10": false} {
		t.Setenv("LOCKSTEP_RUNS", text)
		f := &failing{TB: t}
		Long(f, "a browser is slow")
		if (f.skipped != "") != skipped {
			t.Errorf("LOCKSTEP_RUNS=%q: skipped with %q", text, f.skipped)
		}
		if skipped && !strings.HasSuffix(f.skipped, ": a browser is slow") {
			t.Errorf("LOCKSTEP_RUNS=%q: skipped with %q, which does not say why", text, f.skipped)
		}
	}
}

func TestSome(t *testing.T) {
	all := []int{0, 1, 2, 3, 4, 5, 6, 7}
	for text, want := range map[string][]int{"1": {0, 2, 5}, "2": {0, 1, 2, 4, 5, 6}, "3": all, "900": all} {
		t.Setenv("LOCKSTEP_RUNS", text)
		if got := Some(t, all, 3, 3); !slices.Equal(got, want) {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}
