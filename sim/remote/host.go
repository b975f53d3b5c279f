package remote

import (
	"context"
	"errors"
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
	adapted   func() (*exec.Cmd, error) // with adapted code; nil for none, or once it was called
	isAdapted bool
	mu        sync.Mutex
	process   *process
	traits    atomic.Pointer[program.Traits]
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
// which calls Serve on its files Questions and Answers. If the lock's code keeps
// something from one run to the next, or waits for a mutex while no time can pass,
// adapted makes the process from then on; see the package guest. Close the host when
// done.
func NewHost(command, adapted func() (*exec.Cmd, error)) *Host {
	return &Host{command: command, adapted: adapted}
}

// Adapted reports whether the lock's code has been adapted.
func (h *Host) Adapted() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.isAdapted
}

// Adapt lets the lock run in a process with adapted code from now on. An error says
// why it cannot.
func (h *Host) Adapt() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.adapt()
}

func (h *Host) adapt() error {
	adapted := h.adapted
	if adapted == nil {
		return ErrNotAdaptable
	}
	h.adapted = nil
	if _, err := adapted(); err != nil {
		return err
	}
	h.command, h.isAdapted = adapted, true
	if h.process != nil {
		h.process.end(true)
	}
	return nil
}

// ErrNotAdaptable means that code which does not run as it is cannot be adapted.
var ErrNotAdaptable = lang.Errorf("package variables and mutexes are each client's own only where they belong to the module under test; keep them in the lock, or copy the code into the module")

// Start is a program.Subject's Start.
func (h *Host) Start(config history.Config, subject program.Subject, name string) program.Code {
	return &client{
		host: h, begin: begin{Config: config, TTL: subject.TTL, Name: name}, ctx: context.Background(),
		wants: []sim.Want{{Fresh: true}}, // without a process, this step returns the error
	}
}

// running returns the current process, and starts it if necessary.
func (h *Host) running(ctx context.Context) (*process, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, lang.Errorf("%w: it is closed", ErrEnded)
	}
	if h.process != nil && !h.process.over() {
		return h.process, nil
	}
	return h.start(ctx)
}

// start starts a process, and asks it whether its code has to be adapted.
func (h *Host) start(ctx context.Context) (*process, error) {
	cmd, err := h.command()
	if err != nil {
		return nil, err
	}
	p, err := startProcess(cmd)
	if err != nil {
		return nil, err
	}
	h.process = p
	if h.adapted == nil {
		return p, nil
	}
	a, err := p.ask(ctx, &question{Ask: forLock})
	if odd(a, err) && h.adapt() == nil {
		return h.start(ctx)
	}
	if err != nil {
		return nil, err
	}
	return p, nil
}

// odd reports whether the code may run if it is adapted: it keeps something from one run
// to the next, or waits for what only another run can do.
func odd(a *answer, err error) bool {
	shares := &sharesError{}
	return errors.As(err, &shares) || a != nil && (a.Odd || a.Stuck != nil && !a.Stuck.Spins())
}

// Ready returns why the process has no lock to run, or nil.
func (h *Host) Ready(ctx context.Context) error {
	p, err := h.running(ctx)
	if err != nil {
		return err
	}
	a, err := p.ask(ctx, &question{Ask: forLock})
	if err == nil && a.Wrong != "" {
		err = lang.Errorf("%s", a.Wrong)
	}
	return err
}

// Traits returns what the process has found out about the lock; nothing before its first
// answer.
func (h *Host) Traits() program.Traits {
	if t := h.traits.Load(); t != nil {
		return *t
	}
	return program.Traits{}
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
