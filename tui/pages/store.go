package pages

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/lockedfile"

	"lockstep/internal/lang"
)

const (
	progressFile = "course.json"
	lockFile     = "course.lock"
)

// A store keeps progress in a file. Other walkthroughs may do so at the same
// time: only what is news is written, over what the file has by then. Nothing
// is ever written over a file that could not be read.
type store struct {
	dir     string
	wait    time.Duration // for other walkthroughs
	keeping *Keeping      // in place of the folder; nil for the folder

	writing sync.Mutex
	mu      sync.Mutex // of what is to be written
	news    progress
	some    bool            // there is news
	forget  func(*progress) // what is in the file and older than the news; nil for nothing
}

func newStore(dir string) *store {
	return &store{dir: dir, wait: 2 * time.Second, news: newProgress()}
}

func (s *store) path() string { return filepath.Join(s.dir, progressFile) }

// add notes news, for the next save.
func (s *store) add(news progress) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.news.add(news)
	s.some = true
}

// lose notes what is to be forgotten, for the next save.
func (s *store) lose(forget func(*progress)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	forget(&s.news)
	s.some, s.forget = true, bothForget(s.forget, forget)
}

// bothForget forgets one thing and then another. Either may be nil.
func bothForget(first, then func(*progress)) func(*progress) {
	switch {
	case first == nil:
		return then
	case then == nil:
		return first
	}
	return func(p *progress) {
		first(p)
		then(p)
	}
}

// load reads what is kept. What cannot have come from here is renamed, and
// aside is its new path: it is somebody's.
func (s *store) load() (p progress, aside string, err error) {
	if s.keeping != nil {
		return s.keeping.progress()
	}
	if s.dir == "" {
		return newProgress(), "", nil // there is nothing to read; saving says why
	}
	file, err := target(s.path())
	if err == nil {
		p, err = readProgress(file)
	}
	switch {
	case err == nil:
		return p, "", nil
	case errors.Is(err, fs.ErrNotExist):
		return newProgress(), "", nil
	case !errors.Is(err, errForeign):
		return newProgress(), "", err
	}
	unlock, err := s.lock()
	if err != nil {
		return newProgress(), "", err
	}
	defer unlock()
	return s.current(file)
}

// save writes the news. If it cannot, they stay for the next time.
func (s *store) save() error {
	s.writing.Lock()
	defer s.writing.Unlock()
	s.mu.Lock()
	news, some, forget := s.news, s.some, s.forget
	s.news, s.some, s.forget = newProgress(), false, nil
	s.mu.Unlock()
	if !some {
		return nil
	}
	err := s.write(news, forget)
	if err == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.forget != nil {
		s.forget(&news)
	}
	news.add(s.news)
	s.news, s.some, s.forget = news, true, bothForget(forget, s.forget)
	return err
}

func (s *store) write(news progress, forget func(*progress)) error {
	if s.keeping != nil {
		return s.keeping.write(news, forget)
	}
	if s.dir == "" {
		return lang.Errorf("neither XDG_STATE_HOME nor HOME names a folder for it")
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	unlock, err := s.lock()
	if err != nil {
		return err
	}
	defer unlock()
	file, err := target(s.path())
	if err != nil {
		return err
	}
	p, _, err := s.current(file)
	if err != nil {
		return err
	}
	text, err := p.with(news, forget)
	if err != nil {
		return err
	}
	if len(text) >= maxProgress {
		return lang.Errorf("%s would have %d bytes; at most %d fit, and lockstep --reset-progress begins anew", file, len(text), maxProgress)
	}
	return replace(file, append(text, '\n'))
}

// with is the text of the progress with what is news, but for what is forgotten.
func (p progress) with(news progress, forget func(*progress)) ([]byte, error) {
	if forget != nil {
		forget(&p)
	}
	p.add(news)
	return json.Marshal(p)
}

// lock keeps other walkthroughs from the file. One that is stopped while it
// writes is not waited for.
func (s *store) lock() (unlock func(), err error) {
	path := filepath.Join(s.dir, lockFile)
	type outcome struct {
		unlock func()
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		unlock, err := lockedfile.MutexAt(path).Lock()
		done <- outcome{unlock, err}
	}()
	select {
	case got := <-done:
		if errors.Is(got.err, errors.ErrUnsupported) {
			return func() {}, nil // a file system without locks
		}
		return got.unlock, got.err
	case <-time.After(s.wait):
	}
	go func() {
		if late := <-done; late.err == nil {
			late.unlock()
		}
	}()
	return nil, lang.Errorf("%s: another lockstep has kept it locked for %v", path, s.wait)
}

// current reads the file for one who holds the lock. What cannot have come from
// here is set aside, unless it is only linked to: then it stays where it is.
func (s *store) current(file string) (p progress, aside string, err error) {
	switch p, err = readProgress(file); {
	case err == nil:
		return p, "", nil
	case errors.Is(err, fs.ErrNotExist):
		return newProgress(), "", nil
	case !errors.Is(err, errForeign):
		return newProgress(), "", err
	}
	if link := s.path(); link != file {
		return newProgress(), "", lang.Errorf("%s, to which %s leads: %w; mend it, or lead elsewhere", file, link, err)
	}
	if aside, err = freeName(file + ".damaged"); err == nil {
		err = os.Rename(file, aside)
	}
	return newProgress(), aside, err
}
