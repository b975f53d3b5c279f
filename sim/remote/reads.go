package remote

import (
	"bufio"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// Reads are what processes have looked at: variables, files and folders. Package testing
// logs them for the go command's cache, from when the tests begin: not what is read while
// packages are initialized, and nothing that goes past package os.
type Reads struct {
	mu   sync.Mutex
	all  map[string]bool
	lost bool
}

// maxReads bounds the number of reads.
const maxReads = 10_000

// All returns each read once, in order: what was done, as getenv, open or stat, a space,
// and a name, of a file with its whole path. It is false if there may be more.
func (r *Reads) All() (list []string, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Sorted(maps.Keys(r.all)), !r.lost
}

func (r *Reads) lose() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lost = true
}

func (r *Reads) add(read string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.all == nil {
		r.all = map[string]bool{}
	}
	r.all[read] = true
	r.lost = r.lost || len(r.all) > maxReads
}

// logFile is the additional file to which a process logs what it reads, and logName its
// name there.
const (
	logFile = 6
	logName = "/dev/fd/6"
)

// follow lets a command log what it reads. It returns both ends of the log, which are nil
// where a process cannot open a file that it was given.
func (r *Reads) follow(cmd *exec.Cmd) (ours, theirs *os.File) {
	if _, err := os.Stat(filepath.Dir(logName)); err == nil {
		ours, theirs, err = os.Pipe()
		if err == nil {
			cmd.Args = slices.Insert(cmd.Args, 1, "-test.testlogfile="+logName)
			cmd.ExtraFiles = append(cmd.ExtraFiles, make([]*os.File, logFile-3-len(cmd.ExtraFiles))...)
			cmd.ExtraFiles = append(cmd.ExtraFiles, theirs)
			return ours, theirs
		}
	}
	r.lose()
	return nil, nil
}

// flushed is read where all that was read before is to be written to the log.
const flushed = "LOCKSTEP_READ"

// flush writes what is to be logged: package testing writes when it has enough.
func flush() {
	for _, name := range []string{flushed, strings.Repeat(flushed, 1<<10)} {
		_ = os.Getenv(name)
	}
}

// note notes what a process logs, from a folder, until its end. It sends to told at each
// flush.
func (r *Reads) note(log *os.File, dir string, told chan<- struct{}) {
	defer close(told)
	lines := bufio.NewScanner(log)
	for lines.Scan() {
		did, name, _ := strings.Cut(lines.Text(), " ")
		switch {
		case did == "getenv" && name == flushed:
			select {
			case told <- struct{}{}:
			default: // nobody waits any more
			}
		case did == "getenv" && !strings.HasPrefix(name, flushed):
			r.add(lines.Text())
		case did == "chdir":
			dir, did = name, "stat"
			fallthrough
		case did == "open", did == "stat":
			if !filepath.IsAbs(name) {
				name = filepath.Join(dir, name)
			}
			r.add(did + " " + name)
		}
	}
	if err := lines.Err(); err != nil && !errors.Is(err, os.ErrDeadlineExceeded) { // after its end, something else may have the log open
		r.lose()
	}
	_ = log.Close() // it was only read
}
