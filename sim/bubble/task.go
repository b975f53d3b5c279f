package bubble

import (
	"context"
	"runtime/pprof"
	"slices"
	"sync/atomic"
	"time"
	"unsafe"

	"lockstep/sim/bubble/guest"
	"lockstep/sim/history"
	"lockstep/sim/program"
)

// A task is the program of a client in the process that a run is: the only one, or one of
// several goroutines; see history.Shared. Whatever it starts, starts for it: a
// goroutine inherits the labels for profiles of the one that starts it, which the
// runtime keeps for goroutines that nobody else can tell apart. Who changes
// the labels is taken for the first task.
type task struct {
	name   string
	ctx    context.Context // of the program
	cancel context.CancelFunc
	label  unsafe.Pointer // of its goroutines
	reader *stream        // random numbers
	begun  bool
	done   bool // the program has returned
	call   int  // the number of the lock's current operation; 0 for none

	missing program.Missing // of that
}

// tasksOf returns the tasks of a client.
func (b *Bubble) tasksOf() (list []*task) {
	names := []string{b.name}
	if b.shared() {
		names = b.config.Clients
	}
	for _, name := range names {
		list = append(list, &task{name: name, reader: newStream(name, b.config.Delay)})
	}
	return list
}

// shared reports whether the client has several tasks.
func (b *Bubble) shared() bool {
	return b.config.Process == history.Shared && len(b.config.Clients) > 1 && b.name == b.config.Clients[0]
}

// strandOf is the strand of a task's program.
func strandOf(task int) int {
	if task == 0 {
		return mainStrand
	}
	return clockStrand + task
}

// taskAt returns the task whose program is a strand; nil for the others.
func (r *run) taskAt(strand int) *task {
	for i, t := range r.tasks {
		if strandOf(i) == strand {
			return t
		}
	}
	return nil
}

// firstSlot is the first strand that is no program and no clock.
func (r *run) firstSlot() int { return clockStrand + len(r.tasks) }

// begin marks the calling goroutine as one of the task, and all that it starts.
func (t *task) begin(ctx context.Context) {
	ctx, t.cancel = context.WithCancel(ctx)
	t.ctx = pprof.WithLabels(ctx, pprof.Labels("lockstep", t.name))
	pprof.SetGoroutineLabels(t.ctx)
	atomic.StorePointer(&t.label, labels())
}

// here returns the run of the calling goroutine; nil outside of runs. It is known by the
// labels that the goroutine has inherited, which are no other's while the run has them.
// Without these, a printed stack has the number of the bubble, which takes far longer.
func here() *run {
	r, ok := runs.Load(labels())
	if !ok {
		r, ok = runs.Load(number())
	}
	if !ok {
		return nil
	}
	return r.(*run)
}

// Ended reports whether the calling goroutine is that of a client that has ended.
func Ended() bool {
	r := here()
	return r != nil && !r.alive()
}

// forget ends that a run is known.
func (r *run) forget() {
	runs.Delete(r.number)
	for _, t := range r.tasks {
		runs.Delete(atomic.LoadPointer(&t.label))
	}
}

// whose returns for which task the calling goroutine runs.
func (r *run) whose() int {
	if len(r.tasks) > 1 {
		for i, at := 1, labels(); i < len(r.tasks); i++ {
			if atomic.LoadPointer(&r.tasks[i].label) == at {
				return i
			}
		}
	}
	return 0
}

// of is what sim.Want.Of says of a task.
func (r *run) of(task int) int {
	if len(r.tasks) > 1 {
		return task + 1
	}
	return 0
}

func init() {
	guest.Ended = func() <-chan struct{} {
		if r := here(); r != nil {
			return r.finished
		}
		return nil
	}
	guest.AtRest = func() {
		if r := here(); r != nil {
			r.yield()
		}
	}
}

// yield is awaitRest, also while the first goroutine sleeps and admits nobody: time goes
// on only when all are at rest.
func (r *run) yield() {
	gate := r.gate()
	rest := time.NewTimer(1)
	defer rest.Stop()
	select {
	case <-gate:
	case <-rest.C:
		r.mu.Lock()
		defer r.mu.Unlock()
		r.gates = slices.DeleteFunc(r.gates, func(o chan struct{}) bool { return o == gate })
	}
}

// A pool numbers the connections of a process with several tasks, as program's pool does
// those of a Coroutine: by the task that uses one, unless the server knows something
// about it. Otherwise the order in which go-redis gets them back would tell one task
// about the others.
type pool struct {
	busy  []*conn // that have sent something, or keep their numbers
	spent []int   // numbers of connections that failed: their requests may still arrive
}

// sends numbers the connection of an operation.
func (p *pool) sends(c *conn, op *operation) {
	p.busy = slices.DeleteFunc(p.busy, func(o *conn) bool { return o == c && !c.keeps() })
	if !slices.Contains(p.busy, c) {
		c.number = c.Node*maxConns + op.task*taskConns
		for slices.Contains(p.spent, c.number) || slices.ContainsFunc(p.busy, func(o *conn) bool { return o.number == c.number }) {
			c.number++
		}
		p.busy = append(p.busy, c)
	}
	c.holds = program.Holds(op.units, c.holds)
}

// taskConns bounds the connections that one task uses.
const taskConns = maxConns / 8

// keeps reports whether the server knows something about a connection.
func (c *conn) keeps() bool { return c.holds || c.Listens() }

// idle gives the number of a connection free that has its reply.
func (p *pool) idle(c *conn) {
	if !c.keeps() {
		p.busy = slices.DeleteFunc(p.busy, func(o *conn) bool { return o == c })
	}
}

// ends takes a connection out of use.
func (p *pool) ends(c *conn) {
	if slices.Contains(p.busy, c) && c.keeps() || c.Failed() {
		p.spent = append(p.spent, c.number)
	}
	p.busy = slices.DeleteFunc(p.busy, func(o *conn) bool { return o == c })
}

// labels returns the labels of the calling goroutine, which Go promises to keep within
// reach (go.dev/issue/67401).
//
//go:linkname labels runtime/pprof.runtime_getProfLabel
func labels() unsafe.Pointer
