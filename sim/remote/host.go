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

// A Host is a lock whose code runs in a process of its own. It is started when
// it is first needed, and again when it has ended.
type Host struct {
	command func() *exec.Cmd
	mu      sync.Mutex
	process *process
	draws   atomic.Bool
	closed  bool
}

// The process gets three more files: it hears on the first, answers on the second, and
// keeps in the third the place of its last command, for when it ends; see bubble.Places.
const (
	Questions = 3
	Answers   = 4
	Places    = 5
)

// NewHost is a lock for which a process serves that command makes: one that calls
// Serve on its files Questions and Answers. Close it when done.
func NewHost(command func() *exec.Cmd) *Host { return &Host{command: command} }

// Start is for a program.Subject.
func (h *Host) Start(config history.Config, subject program.Subject, name string) program.Code {
	return &client{
		host: h, begin: begin{Config: config, TTL: subject.TTL, Name: name}, ctx: context.Background(),
		wants: []sim.Want{{Fresh: true}}, // where there is no process, who takes this step is told why
	}
}

// running is the process that there is.
func (h *Host) running() (*process, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, lang.Errorf("%w: it is closed", ErrEnded)
	}
	if h.process != nil && !h.process.over() {
		return h.process, nil
	}
	p, err := startProcess(h.command())
	if err != nil {
		return nil, err
	}
	h.process = p
	return p, nil
}

// Ready says why there is no lock that could be run; nil if there is.
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

// Draws says whether the lock draws random values that nobody can repeat; see
// program.Subject.
func (h *Host) Draws() bool { return h.draws.Load() }

// Sockets says that the process has a network connection: a lock has none but those
// that it was given, and what it says over another one is not seen.
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
