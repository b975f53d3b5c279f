package files

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"lockstep/internal/lang"
)

// Write gives a file that text, whatever it is. A regular file is replaced as a whole or
// not at all, and keeps its permissions; a new one has those of mode, less the umask.
// Links are followed, and stay. A device, a pipe and a descriptor of this process, such as
// /dev/stdout, are written to, which can wait for a reader.
func Write(path string, text []byte, mode fs.FileMode) error {
	err := write(path, text, mode)
	if err == nil {
		return nil
	}
	var reason syscall.Errno
	if errors.As(err, &reason) { // it can be about the new file, which nobody has heard of
		err = reason
	}
	return lang.Errorf("write %s: %w", path, err)
}

func write(path string, text []byte, mode fs.FileMode) error {
	was, err := os.Stat(path)
	absent := errors.Is(err, fs.ErrNotExist)
	if err != nil && !absent {
		return err
	}
	file, err := Follow(path)
	if err != nil {
		return err
	}
	var to *os.File
	switch fd, is := descriptor(file); {
	case is:
		to, err = duplicate(fd)
	case absent:
		return replace(file, text, mode, false)
	default:
		to, err = os.OpenFile(path, os.O_WRONLY, 0) // a read-only file stays, even in a writable folder
		if err == nil && was.Mode().IsRegular() {
			return cmp.Or(to.Close(), replace(file, text, was.Mode().Perm(), true))
		}
	}
	if err != nil {
		return err
	}
	_, err = to.Write(text)
	return cmp.Or(err, to.Close())
}

// MayWrite reports whether Write may write a file, and can make one in its place. Of what
// is no regular file nothing is known before it is opened.
func MayWrite(path string) bool {
	info, failed := os.Stat(path)
	if failed == nil && !info.Mode().IsRegular() {
		return true
	}
	if was, _ := os.OpenFile(path, os.O_WRONLY, 0); was.Close() != nil && failed == nil { // none cannot be closed
		return false
	}
	file, err := Follow(path)
	if _, is := descriptor(file); is || err != nil {
		return is
	}
	f, err := os.CreateTemp(filepath.Dir(file), ".lockstep-")
	if err != nil {
		return false
	}
	return errors.Join(f.Close(), os.Remove(f.Name())) == nil
}

// replace puts a new file in the place of one, or where there is none. The umask is for new
// names only.
func replace(path string, text []byte, mode fs.FileMode, known bool) error {
	file, err := os.OpenFile(filepath.Join(filepath.Dir(path), ".lockstep-"+rand.Text()), os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if err == nil && known {
		err = file.Chmod(mode)
	}
	if err = cmp.Or(err, file.Sync(), file.Close()); err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		_ = os.Remove(file.Name()) // the first error counts
	}
	return err
}

// Follow follows symbolic links to a file, which need not exist, or to a descriptor of this
// process.
func Follow(file string) (string, error) {
	for range maxLinks {
		info, err := os.Lstat(file)
		if _, is := descriptor(file); err != nil || is || info.Mode()&fs.ModeSymlink == 0 {
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

const maxLinks = 40 // from one to the next

// descriptor is the descriptor that a name such as /dev/fd/3 stands for.
func descriptor(file string) (fd int, is bool) {
	fd, err := strconv.Atoi(filepath.Base(file))
	if err != nil {
		return 0, false
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(file))
	return fd, err == nil && (dir == "/dev/fd" || dir == fmt.Sprintf("/proc/%d/fd", os.Getpid()))
}
