package live

import (
	"errors"
	"os"
	"testing"
	"time"
)

// TestZooKeeperStartsAndStops: it knows when its ticks end, and leaves neither
// process nor folder.
func TestZooKeeperStartsAndStops(t *testing.T) {
	s, err := StartZooKeeper(t.Context(), 100*time.Millisecond)
	if errors.Is(err, ErrNoZooKeeper) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if s.Boundary.IsZero() || s.version == "" {
		t.Errorf("%v: its ticks end at %v", s, s.Boundary)
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
