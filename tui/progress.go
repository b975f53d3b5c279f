package tui

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"sync"
)

// A progress is what is remembered of the course from one day to the next.
type progress struct {
	Version  int             `json:"version"`
	Last     string          `json:"last"` // the lock whose chapter was open last
	Chapters map[string]mark `json:"chapters"`
}

// A mark is how far somebody has come in a chapter that is begun.
type mark struct {
	Part part `json:"part"`
	Done bool `json:"done"`
}

const (
	progressFile    = "course.json"
	progressVersion = 1
	maxProgress     = 64 << 10 // bytes; a course takes some hundreds
)

func newProgress() progress { return progress{Version: progressVersion, Chapters: map[string]mark{}} }

func (p progress) clone() progress {
	p.Chapters = maps.Clone(p.Chapters)
	return p
}

// StateDir is where the XDG rules put what a program remembers; "" if there is
// no such place.
func StateDir() string {
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "lockstep")
	}
	home, err := os.UserHomeDir()
	if err != nil || !filepath.IsAbs(home) {
		return ""
	}
	return filepath.Join(home, ".local", "state", "lockstep")
}

// ResetProgress forgets what is kept in a folder.
func ResetProgress(dir string) error {
	if err := os.Remove(filepath.Join(dir, progressFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// errForeign is a file that this program has not written, or not whole.
var errForeign = errors.New("it is damaged or of another program")

// loadProgress reads what is kept in a folder. A file that cannot have come
// from here is renamed, and aside is its new path: it is somebody's.
func loadProgress(dir string) (p progress, aside string, err error) {
	file := filepath.Join(dir, progressFile)
	p, err = readProgress(file)
	switch {
	case err == nil:
		return p, "", nil
	case errors.Is(err, fs.ErrNotExist):
		return newProgress(), "", nil
	case !errors.Is(err, errForeign):
		return newProgress(), "", err
	}
	aside = file + ".damaged"
	if err := os.Rename(file, aside); err != nil {
		return newProgress(), "", err
	}
	return newProgress(), aside, nil
}

// readProgress looks at the file before it opens it: opening a pipe would wait
// for ever.
func readProgress(file string) (progress, error) {
	info, err := os.Lstat(file)
	if err != nil {
		return progress{}, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxProgress {
		return progress{}, errForeign
	}
	f, err := os.Open(file)
	if err != nil {
		return progress{}, err
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(io.LimitReader(f, maxProgress))
	if err != nil {
		return progress{}, err
	}
	var p progress
	if err := json.Unmarshal(text, &p); err != nil || p.Version != progressVersion {
		return progress{}, errForeign
	}
	if p.Chapters == nil {
		p.Chapters = map[string]mark{}
	}
	return p, nil
}

// A store writes progress, which may be asked of several goroutines at a time:
// what was asked for last is what stays.
type store struct {
	dir     string
	mu      sync.Mutex
	written int // the number of the latest progress that was written
}

func (s *store) save(number int, p progress) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if number <= s.written {
		return nil
	}
	s.written = number
	if s.dir == "" {
		return errors.New("there is no home folder")
	}
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return replace(filepath.Join(s.dir, progressFile), append(text, '\n'))
}

// replace writes a file as a whole or not at all. Nobody else may read it.
func replace(file string, text []byte) error {
	dir := filepath.Dir(file)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".course-*") // it has mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("write %s: %w", file, err), os.Remove(f.Name()))
	}
	return nil
}
