package remote

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"lockstep/internal/lang"
)

// A Child is a process that runs foreign code. What the code does ends with it:
// Kill ends also what the process has started, and so does its own end.
type Child struct {
	Stderr Ends
	cmd    *exec.Cmd
	mark   string
	done   chan struct{} // closed when it and all that it started have ended
	status error         // of its end
	told   chan struct{} // gets what it flushes of what it reads, and is closed after all of it
}

// EnvMark marks a child and all that it starts, by their environment.
const EnvMark = "LOCKSTEP_CHILD"

var children atomic.Int64

// waitDelay is how long what a child has started may keep its pipes open.
const waitDelay = time.Second

// StartChild starts a command, a test binary, which adds to reads. pipe, from which its
// answers are read, yields nothing more soon after its end, even if something else has it
// open.
func StartChild(cmd *exec.Cmd, pipe *os.File, reads *Reads) (*Child, error) {
	c := &Child{cmd: cmd, mark: fmt.Sprintf("%s=%d-%d", EnvMark, os.Getpid(), children.Add(1)), done: make(chan struct{}), told: make(chan struct{}, 1)}
	if cmd.Env == nil {
		cmd.Env = os.Environ()
	}
	cmd.Env = append(cmd.Env, c.mark)
	cmd.Stderr, cmd.WaitDelay = &c.Stderr, waitDelay
	contain(cmd)
	dir, err := filepath.Abs(cmd.Dir)
	if err != nil {
		return nil, err
	}
	log, theirs := reads.follow(cmd)
	err = cmd.Start()
	_ = theirs.Close() // it is the child's
	if err != nil {
		_ = log.Close()
		return nil, err
	}
	go reads.note(log, dir, c.told)
	go func() {
		c.status = cmd.Wait()
		if errors.Is(c.status, exec.ErrWaitDelay) {
			c.status = nil // it ended well; what it started has its pipes
		}
		killAll(cmd.Process.Pid, c.mark)
		for _, pipe := range []*os.File{pipe, log} {
			_ = pipe.SetReadDeadline(time.Now().Add(waitDelay)) // for what it wrote before
		}
		close(c.done)
	}()
	return c, nil
}

// Kill ends the child at once.
func (c *Child) Kill() {
	_ = c.cmd.Process.Kill()
	killAll(c.cmd.Process.Pid, c.mark)
}

// Wait returns the status of the child's end, when what it has read is known.
func (c *Child) Wait() error {
	<-c.done
	for range c.told { // until it is closed
	}
	return c.status
}

// endsWithin reports whether it ends in time.
func (c *Child) endsWithin(d time.Duration) bool {
	late := time.NewTimer(d)
	defer late.Stop()
	select {
	case <-c.done:
		return true
	case <-late.C:
		return false
	}
}

// Ends keeps the beginning and the end of what is written to it.
type Ends struct {
	mu         sync.Mutex
	head, tail []byte
	dropped    int
}

// maxEnd bounds, in bytes, the beginning and the end.
const maxEnd = 32 << 10

func (e *Ends) Write(b []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	n := min(len(b), maxEnd-len(e.head))
	e.head, e.tail = append(e.head, b[:n]...), append(e.tail, b[n:]...)
	if more := len(e.tail) - maxEnd; more > maxEnd {
		e.tail = append(e.tail[:0], e.tail[more:]...)
		e.dropped += more
	}
	return len(b), nil
}

// String is what was kept, and how much was not.
func (e *Ends) String() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.dropped == 0 {
		return string(e.head) + string(e.tail)
	}
	return fmt.Sprintf("%s\n... %d bytes left out ...\n%s", e.head, e.dropped, e.tail)
}

// maxAnswer bounds, in bytes, one answer of a child.
const maxAnswer = 1 << 20

// errTooMuch means that an answer exceeds maxAnswer.
var errTooMuch = lang.Errorf("an answer is too long")

// bounded is a reader of one answer after the other.
type bounded struct {
	io.Reader
	left int
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTooMuch
	}
	n, err := b.Reader.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}
