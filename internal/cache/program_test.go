package cache

import (
	"os"
	"path/filepath"
	"testing"

	"lockstep/internal/testkit"
)

// TestIdentify: each byte of a program counts, and nothing else.
func TestIdentify(t *testing.T) {
	name := filepath.Join(t.TempDir(), "program")
	ids := map[string]bool{}
	for _, text := range []string{"", "one", "two", "one"} {
		testkit.OK(t, os.WriteFile(name, []byte(text), 0o600))
		id, ok := Identify(name)
		if !ok {
			t.Errorf("%q cannot be read", text)
		}
		ids[id] = true
	}
	if _, ok := Identify(filepath.Dir(name)); ok || len(ids) != 3 {
		t.Errorf("a folder is a program: %v; ids %v", ok, ids)
	}
}
