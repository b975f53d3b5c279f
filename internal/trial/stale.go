package trial

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// folder begins the name of a suite's folder; the id of its process follows.
const folder = "lockstep-check-"

// staleAge is how old a folder has to be before it counts as left behind. A process
// that is not to be seen may still run in another container.
const staleAge = time.Hour

// makeFolder makes the folder of a suite, and removes those of processes that were
// killed before they could.
func makeFolder() (string, error) {
	all, _ := filepath.Glob(filepath.Join(os.TempDir(), folder+"*"))
	for _, dir := range all {
		if leftBehind(dir) {
			_ = os.RemoveAll(dir) // it may be somebody else's
		}
	}
	return os.MkdirTemp("", fmt.Sprintf("%s%d-", folder, os.Getpid()))
}

func leftBehind(dir string) bool {
	var pid int
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() || time.Since(info.ModTime()) < staleAge {
		return false
	}
	if n, _ := fmt.Sscanf(filepath.Base(dir), folder+"%d-", &pid); n != 1 {
		return false
	}
	p, err := os.FindProcess(pid)
	return err != nil || errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone)
}
