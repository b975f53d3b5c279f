//go:build unix

package cache

import (
	"syscall"
	"testing"
)

// TestPipe: a pipe in the place of an entry is not waited for.
func TestPipe(t *testing.T) {
	s := storeAt(t, aDay)
	k := KeyOf("a")
	if err := put(s, KeyOf("b"), ""); err != nil { // makes the folder
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(s.file(k), 0o600); err != nil {
		t.Skip(err)
	}
	if _, _, ok := got(s, k); ok {
		t.Error("a pipe is an entry")
	}
	if err := put(s, k, "value"); err != nil {
		t.Error(err)
	}
	if limit, _, ok := got(s, k); limit != "value" || !ok {
		t.Errorf("in the place of a pipe: %q, %t", limit, ok)
	}
}
