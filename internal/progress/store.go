package progress

import (
	"encoding/json"
	"sync"
	"time"

	"lockstep/internal/lang"
)

// A Store keeps progress in a place that others may change at the same time. Each save
// reads what is there and applies only the changes made here. It never writes over a
// text that it cannot read.
type Store struct {
	place

	writing sync.Mutex
	mu      sync.Mutex // guards changes
	changes []change   // since the last save
}

type change = func(*Progress)

// A place holds one text of progress.
type place interface {
	// Load reads the progress. A damaged file is renamed; aside is its new path.
	Load() (p Progress, aside string, err error)
	update(changes []change) error
}

// In returns the store of a folder; "" is no folder, and then every save fails.
func In(dir string) *Store { return &Store{place: &folder{dir: dir, wait: 2 * time.Second}} }

// Change notes a change for the next save.
func (s *Store) Change(c func(*Progress)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changes = append(s.changes, c)
}

// Save writes the changes. If it fails, they stay for the next save.
func (s *Store) Save() error {
	s.writing.Lock()
	defer s.writing.Unlock()
	s.mu.Lock()
	changes := s.changes
	s.changes = nil
	s.mu.Unlock()
	if len(changes) == 0 {
		return nil
	}
	err := s.update(changes)
	if err != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.changes = append(changes, s.changes...)
	}
	return err
}

// with returns the text of the progress after the changes.
func (p Progress) with(changes []change) ([]byte, error) {
	for _, c := range changes {
		c(&p)
	}
	return json.Marshal(p)
}

// A Text keeps progress where there are no files. Read returns "" while nothing is kept.
type Text struct {
	Read  func() string
	Write func(text string) error
	// Aside keeps a damaged text elsewhere and returns where, so that progress can
	// begin again; nil refuses to.
	Aside func(text string) (where string)
}

// Store returns the store of the text.
func (t *Text) Store() *Store { return &Store{place: t} }

// Load reads the progress.
func (t *Text) Load() (p Progress, aside string, err error) {
	text := t.Read()
	if text == "" {
		return New(), "", nil
	}
	p, err = Parse(text)
	switch {
	case err == nil:
		return p, "", nil
	case t.Aside == nil:
		return New(), "", err
	}
	return New(), t.Aside(text), nil
}

func (t *Text) update(changes []change) error {
	p, _, err := t.Load()
	if err != nil {
		return err
	}
	text, err := p.with(changes)
	if err != nil {
		return err
	}
	if len(text) > maxText {
		return lang.Errorf("%d bytes; at most %d fit", len(text), maxText)
	}
	return t.Write(string(text))
}
