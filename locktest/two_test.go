package locktest

import (
	"path/filepath"
	"testing"
)

// TestTwoLocks: the locks of one test have a number and a folder each.
func TestTwoLocks(t *testing.T) {
	if got := [...]int{nth(t), nth(t)}; got != [...]int{1, 2} {
		t.Errorf("%v", got)
	}
	for n, want := range []string{"TestTwoLocks-sub", "TestTwoLocks-sub-2"} {
		if got, want := keptDir("TestTwoLocks/sub", n+1), filepath.Join("testdata", "lockstep", want); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
