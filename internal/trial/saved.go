package trial

import (
	"context"
	"os"
	"path/filepath"
	"time"
)

// Saved is a snapshot of the source files of the module under test.
type Saved struct {
	dirs  []string
	last  time.Time // when one of them was written
	files int
}

// Saved takes a snapshot of the source files.
func (p *Package) Saved(ctx context.Context) (*Saved, error) {
	code, err := p.Code(ctx)
	if err != nil {
		return nil, err
	}
	return saved(append(code.own, p.Dir)), nil
}

func saved(dirs []string) *Saved {
	s := &Saved{dirs: dirs}
	for _, dir := range dirs {
		names, _ := filepath.Glob(filepath.Join(dir, "*.go"))
		for _, name := range names {
			info, err := os.Stat(name)
			if err != nil {
				continue // it has just been removed
			}
			s.files++
			if info.ModTime().After(s.last) {
				s.last = info.ModTime()
			}
		}
	}
	return s
}

// pollEvery is the interval of polling.
const pollEvery = 300 * time.Millisecond

// Wait returns true once a file has been saved, added or removed since, and false
// when ctx is done before.
func (s *Saved) Wait(ctx context.Context) bool {
	poll := time.NewTicker(pollEvery)
	defer poll.Stop()
	for {
		if now := saved(s.dirs); !now.last.Equal(s.last) || now.files != s.files {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-poll.C:
		}
	}
}
