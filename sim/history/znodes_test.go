package history

import (
	"slices"
	"testing"
)

// TestCompareKeys: znodes below one parent go by number, all else by name.
func TestCompareKeys(t *testing.T) {
	want := []string{"lock:1", "lock:12", "lock:2", "/lock", "/stock", "/lock/b-n-0000000000", "/lock/a-n-0000000001", "/lock/c-n-0000000001"}
	got := slices.Clone(want)
	slices.Reverse(got)
	slices.SortFunc(got, CompareKeys)
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// TestOfLock: a change of the queue below the lock's path is one of the lock, and a
// list's element is a lock that nobody has.
func TestOfLock(t *testing.T) {
	znode, ephemeral, list := &KeyState{Type: "znode"}, &KeyState{Type: Ephemeral, Value: "A"}, &KeyState{Type: "list"}
	for _, test := range []struct {
		name   string
		change Change
		is     bool
		taken  bool // the lock is somebody's afterwards
	}{
		{"its node", Change{Key: "/lock", After: ephemeral}, true, true},
		{"a place in its queue", Change{Key: "/lock/n-1", After: ephemeral}, true, true},
		{"a place that goes", Change{Key: "/lock/n-1", Before: ephemeral}, true, false},
		{"another's place", Change{Key: "/locks/n-1", After: ephemeral}, false, true},
		{"the node above its queue", Change{Key: "/lock", After: znode}, false, true},
		{"no place", Change{Key: "/lock/x", After: znode}, false, true},
		{"an element that is taken", Change{Key: "/lock", Before: list}, true, true},
		{"an element that is made", Change{Key: "/lock", After: list}, true, false},
	} {
		got, is := OfLock("/lock", test.change)
		if is != test.is || is && (got.After != nil) != test.taken {
			t.Errorf("%s: %t, %+v", test.name, is, got)
		}
	}
}
