//go:build unix

package files

import (
	"os"
	"syscall"
)

// hold opens a folder and holds it for as long as it is open, which ends with the
// process. An error means that another process does, unless hold waits for it.
func hold(dir string, waits bool) (*os.File, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	how := syscall.LOCK_EX
	if !waits {
		how |= syscall.LOCK_NB
	}
	if err := syscall.Flock(int(f.Fd()), how); err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// duplicate opens a descriptor once more, at the same place of the same file.
func duplicate(fd int) (*os.File, error) {
	fd, err := syscall.Dup(fd)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), "/dev/fd"), nil
}
