package remote

import (
	"cmp"
	"context"
	"errors"
	"os/exec"
	"slices"
	"sync"
	"sync/atomic"

	"lockstep/internal/lang"
	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/program"
)

// A Pool of processes is a lock whose code runs in them, one for each client, so that
// the code of several may run at once. A process starts on first use, and again after
// it has ended.
type Pool struct {
	command   func() (*exec.Cmd, error)
	adapted   func() (*exec.Cmd, error) // with adapted code; nil for none, or once it was called
	isAdapted bool
	parks     string // see program.EnvParks
	mu        sync.Mutex
	processes [maxProcesses]*process // nil before first use
	traits    atomic.Pointer[program.Traits]
	reads     *Reads // of processes with this code
	closed    bool
}

// maxProcesses bounds the processes of a pool, each of which takes some 30 MB. Of more
// clients, several share one.
const maxProcesses = 4

// indexOf returns the index of the process that runs a client of a world. It depends on
// nothing else, so that neither does what clients find in a process that they share.
func indexOf(config history.Config, client string) int {
	return max(0, slices.Index(config.Clients, client)) % maxProcesses // the probe has that of the first
}

// The additional files of the process. It reads questions from the first,
// writes answers to the second, and writes the place of its last command to the
// third; see bubble.Places.
const (
	Questions = 3
	Answers   = 4
	Places    = 5
)

// NewPool returns a lock that processes serve. command makes a process,
// which calls Serve on its files Questions and Answers. If the lock's code keeps
// something from one run to the next, or waits for a mutex while no time can pass,
// adapted makes the processes from then on; see the package guest. Close the pool when
// done.
func NewPool(command, adapted func() (*exec.Cmd, error)) *Pool {
	return &Pool{command: command, adapted: adapted, reads: &Reads{}}
}

// Adapted reports whether the lock's code has been adapted.
func (pool *Pool) Adapted() bool {
	pool.mu.Lock()
	defer pool.mu.Unlock()
	return pool.isAdapted
}

// Adapt lets the lock run in processes with adapted code from now on. An error says
// why it cannot.
func (pool *Pool) Adapt() error {
	pool.mu.Lock()
	defer pool.mu.Unlock()
	return pool.adapt()
}

// adaptAfter is Adapt for what the code did in a process. It may be adapted since.
func (pool *Pool) adaptAfter(p *process) error {
	pool.mu.Lock()
	defer pool.mu.Unlock()
	if pool.isAdapted && !p.adapted {
		return nil
	}
	return pool.adapt()
}

// parkAfter lets the code of ended clients stay where it is from now on, if a process
// has ended by a panic that may come of what else happens to it. It reports whether it does.
func (pool *Pool) parkAfter(p *process, err error) bool {
	pool.mu.Lock()
	defer pool.mu.Unlock()
	return pool.park(p, err)
}

func (pool *Pool) park(p *process, err error) bool {
	if p.parks || !errors.Is(err, ErrPanicked) {
		return false
	}
	pool.parks = cmp.Or(pool.parks, "1")
	return true
}

func (pool *Pool) adapt() error {
	adapted := pool.adapted
	if adapted == nil {
		return ErrNotAdaptable
	}
	pool.adapted = nil
	if _, err := adapted(); err != nil {
		return err
	}
	pool.command, pool.isAdapted, pool.reads = adapted, true, &Reads{}
	for _, p := range pool.processes {
		if p != nil {
			p.end(true)
		}
	}
	return nil
}

// ErrNotAdaptable means that code which does not run as it is cannot be adapted.
var ErrNotAdaptable = lang.Errorf("package variables and mutexes are each client's own only where they belong to the module under test, or to a package that uses go-redis; keep them in the lock, or copy the code into the module")

// Start is a program.Subject's Start.
func (pool *Pool) Start(config history.Config, subject program.Subject, name string) program.Code {
	return &client{
		pool: pool, index: indexOf(config, name), ctx: context.Background(),
		begin: begin{Config: config, TTL: subject.TTL, Name: name},
		wants: []sim.Want{{Fresh: true}}, // without a process, this step returns the error
	}
}

// running returns the current process with an index, and starts it if necessary.
func (pool *Pool) running(ctx context.Context, index int) (*process, error) {
	pool.mu.Lock()
	defer pool.mu.Unlock()
	if pool.closed {
		return nil, lang.Errorf("%w: it is closed", ErrEnded)
	}
	if p := pool.processes[index]; p != nil && !p.over() {
		return p, nil
	}
	return pool.start(ctx, index)
}

// start starts a process, and asks it whether its code has to be adapted.
func (pool *Pool) start(ctx context.Context, index int) (*process, error) {
	cmd, err := pool.command()
	if err != nil {
		return nil, err
	}
	if pool.parks != "" {
		cmd.Env = append(cmd.Environ(), program.EnvParks+"="+pool.parks)
	}
	p, err := startProcess(cmd, pool.reads)
	if err != nil {
		return nil, err
	}
	p.adapted, p.parks = pool.isAdapted, pool.parks != ""
	pool.processes[index] = p
	a, err := p.ask(ctx, &question{Ask: forLock})
	parks := pool.park(p, err)
	if !parks && errors.Is(err, ErrPanicked) && pool.parks != program.Unprobed { // it panics while it is probed
		parks, pool.parks = true, program.Unprobed
	}
	if parks || odd(a, err) && pool.adapt() == nil {
		return pool.start(ctx, index)
	}
	if err != nil {
		return nil, err
	}
	return p, nil
}

// odd reports whether the code may run if it is adapted: it keeps something from one run
// to the next, or waits for what only another run can do.
func odd(a *answer, err error) bool {
	return errors.Is(err, ErrShares) || a != nil && (a.Odd || a.Stuck != nil && !a.Stuck.Spins())
}

// Ready returns why the processes have no lock to run, or nil.
func (pool *Pool) Ready(ctx context.Context) error {
	p, err := pool.running(ctx, 0)
	if err != nil {
		return err
	}
	a, err := p.ask(ctx, &question{Ask: forLock})
	if err != nil {
		return err
	}
	pool.traits.Store(&a.Traits)
	if a.Wrong != "" {
		return lang.Errorf("%s", a.Wrong)
	}
	return nil
}

// Traits returns what the first client's process has found out about the lock; nothing
// before its first answer.
func (pool *Pool) Traits() program.Traits {
	if t := pool.traits.Load(); t != nil {
		return *t
	}
	return program.Traits{}
}

// Reads returns what the lock's code has looked at so far, as Reads.All does. What it did
// before it was adapted does not count.
func (pool *Pool) Reads() (list []string, ok bool) {
	pool.mu.Lock()
	defer pool.mu.Unlock()
	for _, p := range pool.processes {
		if p != nil {
			p.settle()
		}
	}
	return pool.reads.All()
}

// Sockets returns an error if a process has a network connection. A lock
// should have only its given clients; Lockstep cannot see what it sends over
// others.
func (pool *Pool) Sockets() error {
	pool.mu.Lock()
	defer pool.mu.Unlock()
	for _, p := range pool.processes {
		if p == nil || p.over() {
			continue
		}
		if err := sockets(p.cmd.Process.Pid); err != nil {
			return err
		}
	}
	return nil
}

// Close ends the processes.
func (pool *Pool) Close() {
	pool.mu.Lock()
	defer pool.mu.Unlock()
	pool.closed = true
	for _, p := range pool.processes {
		if p != nil {
			p.end(false)
		}
	}
}
