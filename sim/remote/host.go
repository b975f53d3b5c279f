package remote

import (
	"context"
	"os/exec"
	"sync"
	"sync/atomic"

	"lockstep/internal/lang"
	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/program"
)

// A Host is a lock whose code runs in another process. The process starts on
// first use, and again after it has ended.
type Host struct {
	command   func() (*exec.Cmd, error)
	durable   func() (*exec.Cmd, error) // with durable mutexes; nil for none, or once it was called
	isDurable bool
	mu        sync.Mutex
	process   *process
	draws     atomic.Bool
	delays    atomic.Bool
	closed    bool
}

// The additional files of the process. It reads questions from the first,
// writes answers to the second, and writes the place of its last command to the
// third; see bubble.Places.
const (
	Questions = 3
	Answers   = 4
	Places    = 5
)

// NewHost returns a lock that a process serves. command makes the process,
// which calls Serve on its files Questions and Answers. If the lock's code waits
// for a mutex that its holder keeps while it waits, durable makes the process from
// then on; see the package locktest/durable. Close the host when done.
func NewHost(command, durable func() (*exec.Cmd, error)) *Host {
	return &Host{command: command, durable: durable}
}

// Durable reports whether the lock's mutexes have become durable.
func (h *Host) Durable() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.isDurable
}

// becomeDurable makes the lock's mutexes durable. An error says why it cannot.
func (h *Host) becomeDurable() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.durable == nil {
		return ErrOthersMutex
	}
	durable := h.durable
	h.durable = nil
	if _, err := durable(); err != nil {
		return err
	}
	h.command, h.isDurable = durable, true
	return nil
}

// ErrOthersMutex means that code waits for a mutex that cannot be replaced.
var ErrOthersMutex = lang.Errorf("no time passes while code waits for a mutex, and only those of the module under test are replaced; use a channel, or copy the code into the module")

// Start is a program.Subject's Start.
func (h *Host) Start(config history.Config, subject program.Subject, name string) program.Code {
	return &client{
		host: h, begin: begin{Config: config, TTL: subject.TTL, Name: name}, ctx: context.Background(),
		wants: []sim.Want{{Fresh: true}}, // without a process, this step returns the error
	}
}

// running returns the current process, and starts it if necessary.
func (h *Host) running() (*process, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, lang.Errorf("%w: it is closed", ErrEnded)
	}
	if h.process != nil && !h.process.over() {
		return h.process, nil
	}
	cmd, err := h.command()
	if err != nil {
		return nil, err
	}
	p, err := startProcess(cmd)
	if err != nil {
		return nil, err
	}
	h.process = p
	return p, nil
}

// Ready returns why the process has no lock to run, or nil.
func (h *Host) Ready(ctx context.Context) error {
	p, err := h.running()
	if err != nil {
		return err
	}
	a, err := p.ask(ctx, &question{Ask: forLock})
	if err == nil && a.Wrong != "" {
		err = lang.Errorf("%s", a.Wrong)
	}
	return err
}

// Draws reports whether the lock draws random values that cannot be repeated;
// see program.Subject.
func (h *Host) Draws() bool { return h.draws.Load() }

// Delays reports whether the lock draws how long it waits; see program.Subject.
func (h *Host) Delays() bool { return h.delays.Load() }

// learn keeps what an answer says of the lock.
func (h *Host) learn(a *answer) {
	if a.Draws {
		h.draws.Store(true)
	}
	if a.Delays {
		h.delays.Store(true)
	}
}

// Sockets returns an error if the process has a network connection. A lock
// should have only its given clients; Lockstep cannot see what it sends over
// others.
func (h *Host) Sockets() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.process == nil || h.process.over() {
		return nil
	}
	return sockets(h.process.cmd.Process.Pid)
}

// Close ends the process.
func (h *Host) Close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	if h.process != nil {
		h.process.end(false)
	}
}
