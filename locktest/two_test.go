package locktest

import (
	"path/filepath"
	"testing"
)

// TestTwoLocks: the locks of one test have a name and a folder each.
func TestTwoLocks(t *testing.T) {
	if got := [...]int{nth(t), nth(t)}; got != [...]int{1, 2} {
		t.Errorf("%v", got)
	}
	if got := named(t); got != "TestTwoLocks-2" {
		t.Error(got)
	}
	if got, want := keptDir(named(t)), filepath.FromSlash("testdata/lockstep/TestTwoLocks-2"); got != want {
		t.Error(got)
	}
}
