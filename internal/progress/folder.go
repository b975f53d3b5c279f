package progress

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/rogpeppe/go-internal/lockedfile"

	"lockstep/internal/course"
	"lockstep/internal/files"
	"lockstep/internal/lang"
)

const (
	progressFile = "course.json"
	lockFile     = "course.lock"

	maxAside = 100 // damaged files that are kept
)

// Dir returns the folder for the progress in a course, by the XDG rules; "" if there is
// none. nil is the built-in course, whose folder is older than other courses are.
func Dir(c *course.Course) string {
	dir := filepath.Join(os.Getenv("XDG_STATE_HOME"), "lockstep")
	if !filepath.IsAbs(dir) {
		home, err := os.UserHomeDir()
		if err != nil || !filepath.IsAbs(home) {
			return ""
		}
		dir = filepath.Join(home, ".local", "state", "lockstep")
	}
	if c == nil || c.ID == course.Builtin {
		return dir
	}
	return filepath.Join(dir, "courses", c.ID)
}

var errNoFolder = lang.Errorf("neither XDG_STATE_HOME nor HOME names a folder for it")

// Reset removes the file with the progress in a folder if sure agrees, and returns its name. A
// link to it stays. If there is none, the error is fs.ErrNotExist.
func Reset(dir string, sure func(file string) bool) (file string, err error) {
	if dir == "" {
		return "", errNoFolder
	}
	if file, err = files.Follow(filepath.Join(dir, progressFile)); err == nil {
		_, err = os.Lstat(file)
	}
	if err == nil && sure(file) {
		err = os.Remove(file)
	}
	return file, err
}

// A folder holds progress in a file, and a lock for those who write it.
type folder struct {
	dir  string
	wait time.Duration // for another process that holds the lock
}

func (f *folder) path() string { return filepath.Join(f.dir, progressFile) }

// Load takes the lock only to rename a damaged file.
func (f *folder) Load() (p Progress, aside string, err error) {
	if f.dir == "" {
		return New(), "", nil // update says why
	}
	file, err := files.Follow(f.path())
	if err != nil {
		return New(), "", err
	}
	if p, err = read(file); !errors.Is(err, errForeign) {
		return p, "", err
	}
	unlock, err := f.lock()
	if err != nil {
		return New(), "", err
	}
	defer unlock()
	return f.current(file)
}

func (f *folder) update(changes []change) error {
	if f.dir == "" {
		return errNoFolder
	}
	if err := os.MkdirAll(f.dir, 0o700); err != nil {
		return err
	}
	unlock, err := f.lock()
	if err != nil {
		return err
	}
	defer unlock()
	file, err := files.Follow(f.path())
	if err != nil {
		return err
	}
	p, _, err := f.current(file)
	if err != nil {
		return err
	}
	text, err := p.with(changes)
	if err != nil {
		return err
	}
	if len(text) >= maxText {
		return lang.Errorf("%s would have %d bytes; at most %d fit, and lockstep --reset-progress begins anew", file, len(text), maxText)
	}
	return files.Write(file, append(text, '\n'), 0o600)
}

// lock keeps other processes from the file. It does not wait long for one that is
// stopped while it writes.
func (f *folder) lock() (unlock func(), err error) {
	path := filepath.Join(f.dir, lockFile)
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
	case <-time.After(f.wait):
	}
	go func() {
		if late := <-done; late.err == nil {
			late.unlock()
		}
	}()
	return nil, lang.Errorf("%s: another lockstep has kept it locked for %v", path, f.wait)
}

// current reads the file under the lock. It renames a damaged file, but not one that is
// only linked to.
func (f *folder) current(file string) (p Progress, aside string, err error) {
	if p, err = read(file); !errors.Is(err, errForeign) {
		return p, "", err
	}
	if link := f.path(); link != file {
		return New(), "", lang.Errorf("%s, to which %s leads: %w; mend it, or lead elsewhere", file, link, err)
	}
	if aside, err = freeName(file + ".damaged"); err == nil {
		err = os.Rename(file, aside)
	}
	return New(), aside, err
}

// freeName returns path, or path with a number, whichever does not exist yet.
func freeName(path string) (string, error) {
	for n := range maxAside {
		name := path
		if n > 0 {
			name += "." + strconv.Itoa(n)
		}
		if _, err := os.Lstat(name); errors.Is(err, fs.ErrNotExist) {
			return name, nil
		}
	}
	return "", lang.Errorf("%s and %d more are there already; move them away", path, maxAside-1)
}

// read reads a file; none is new progress.
func read(file string) (Progress, error) {
	text, err := files.Read(file, maxText)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return New(), nil
	case errors.Is(err, files.ErrIrregular):
		return New(), lang.Errorf("%s is not a regular file; move it away", file)
	case errors.Is(err, files.ErrLong):
		return New(), errForeign
	case err != nil:
		return New(), err
	}
	return Parse(string(text))
}
