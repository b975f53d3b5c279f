package live

import (
	"errors"
	"os"
	"testing"

	"lockstep/internal/testkit"
)

// TestZooKeeperStartsAndStops: it knows its version, and leaves neither
// process nor folder.
func TestZooKeeperStartsAndStops(t *testing.T) {
	s, err := StartZooKeeper(t.Context())
	if errors.Is(err, ErrNoZooKeeper) {
		t.Skip(err)
	}
	testkit.OK(t, err)
	if s.version == "" {
		t.Errorf("%v has no version", s)
	}
	s.Stop()
	if _, err := os.Stat(s.process.dir); !os.IsNotExist(err) {
		t.Errorf("its folder: %v", err)
	}
	if c, err := s.Dial(t.Context()); err == nil {
		c.Close()
		t.Error("it still answers")
	}
}
