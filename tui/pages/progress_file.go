package pages

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"lockstep/internal/course"
	"lockstep/internal/files"
	"lockstep/internal/lang"
)

const (
	maxProgress = 1 << 20 // bytes; all of the course takes some thousands
	maxAside    = 100     // damaged files that are kept
	maxLinks    = 40      // from one to the next
)

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

// StateOf is the folder in which the progress in a course is kept, below the one that
// holds all that the program remembers. nil is the course that is open where none is
// named, whose progress is older than other courses are.
func StateOf(dir string, c *course.Course) string {
	if dir == "" || c == nil || c.ID == course.Builtin {
		return dir
	}
	return filepath.Join(dir, "courses", c.ID)
}

// ResetProgress forgets what is kept in a folder. A link to it stays.
func ResetProgress(dir string) error {
	if dir == "" {
		return nil
	}
	file, err := target(filepath.Join(dir, progressFile))
	if err == nil {
		err = os.Remove(file)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// freeName is a path that nothing has yet: this one, or with a number after it.
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

// target is the file to which symbolic links lead, which need not be there.
func target(file string) (string, error) {
	for range maxLinks {
		info, err := os.Lstat(file)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			return file, nil // reading it says what is wrong
		}
		to, err := os.Readlink(file)
		if err != nil {
			return "", err
		}
		if !filepath.IsAbs(to) {
			dir, err := filepath.EvalSymlinks(filepath.Dir(file))
			if err != nil {
				return "", err
			}
			to = filepath.Join(dir, to)
		}
		file = to
	}
	return "", lang.Errorf("%s: a link that leads to itself", file)
}

// readProgress looks at the file before it opens it: opening a pipe would wait
// for ever.
func readProgress(file string) (progress, error) {
	info, err := os.Lstat(file)
	if err != nil {
		return progress{}, err
	}
	if !info.Mode().IsRegular() {
		return progress{}, lang.Errorf("%s is not a regular file; move it away", file)
	}
	if info.Size() > maxProgress {
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
	return parseProgress(text)
}

// replace writes a file as a whole or not at all. Nobody else may read a new
// one. One that may not be written stays, though its folder would allow it.
func replace(file string, text []byte) error {
	mode := fs.FileMode(0o600)
	if was, err := os.OpenFile(file, os.O_WRONLY, 0); err == nil {
		if info, err := was.Stat(); err == nil {
			mode = info.Mode().Perm()
		}
		_ = was.Close()
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := files.Write(file, text, mode); err != nil {
		return lang.Errorf("write %s: %w", file, err)
	}
	return nil
}
