package sim

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"lockstep/sim/history"
	"lockstep/strategies"
)

// A Subject is the lock under test: how to make one for a client, and what
// the world must know of it.
type Subject struct {
	New   func(strategies.Env) strategies.Lock
	Nodes int  // how many Redis nodes it talks to; 0 for none
	Polls bool // it keeps trying by itself for Config.Wait
}

// In returns the subject as it is in a world of the given configuration: a
// lock on several nodes may be given another number of them.
func (s Subject) In(c history.Config) Subject {
	if s.Nodes > 1 && c.Nodes > 0 {
		s.Nodes = c.Nodes
	}
	return s
}

// A World is clients, nodes, a guarded resource and a virtual clock. Perform
// drives it. It is not safe for concurrent use, but any number of worlds may
// exist side by side. Close it when done.
type World struct {
	config   history.Config
	subject  Subject
	nodes    []*node
	clients  []*client
	store    store
	resource ResourceState // what the store last told
	now      history.Millis
	flights  []*flight // sent, in that order, and not yet done with
	calls    int
	events   []history.Event
	bytes    int // that the events take
	threads  int // that were ever started
	schedule history.Schedule

	parked     chan *thread // the running thread gives control back here
	sourceless bool         // nobody asks which line sent a command
	running    *thread
	handed     atomic.Pointer[thread] // the last that was let run, for the watch
	since      atomic.Int64           // actions until then
	// written is touched after whatever a thread writes, so that who gives the
	// thread up may read it.
	written atomic.Int64
	stuck   *StuckError     // what ended the run
	ctx     context.Context // see Within
	// unwinding: a killed thread's deferred calls run
	unwinding bool
}

var (
	// ErrNotEnabled says that an action cannot happen in the present state.
	ErrNotEnabled = errors.New("not possible now")
	errOutside    = errors.New("sim: Redis was used from a goroutine that the world did not start")
)

// New builds a world in its first state. No code of a client has run yet.
func New(config history.Config, subject Subject) (*World, error) {
	return newWorld(config, subject, func(i int) (*node, error) { return newNode(NodeName(i)) })
}

func newWorld(config history.Config, subject Subject, newNode func(i int) (*node, error)) (*World, error) {
	if err := config.Check(); err != nil {
		return nil, fmt.Errorf("world: %w", err)
	}
	subject = subject.In(config)
	w := &World{config: config, subject: subject, parked: make(chan *thread), events: make([]history.Event, 0, 64)}
	w.resource.Value = config.Items()
	var err error
	if w.store, err = openStore(config, w.resource); err != nil {
		return nil, err
	}
	for i := range subject.Nodes {
		n, err := newNode(i)
		if err != nil {
			w.Close()
			return nil, err
		}
		n.lag = config.Lag
		w.nodes = append(w.nodes, n)
		if n.live != nil {
			if err := n.follow(config.Lag); err != nil {
				w.Close()
				return nil, err
			}
		}
	}
	for _, name := range config.Clients {
		w.addClient(name)
	}
	return w, nil
}

// Within makes an end of ctx one of waiting for code of a client that is stuck.
// It is called before anything is performed.
func (w *World) Within(ctx context.Context) { w.ctx = ctx }

// Close ends every client and node. The history stays readable.
func (w *World) Close() {
	for _, c := range w.clients {
		c.die()
		c.close()
	}
	theWatch.remove(w)
	for _, n := range w.nodes {
		n.close()
	}
	w.store.close()
}

// Now returns the virtual time.
func (w *World) Now() history.Millis { return w.now }

// History returns what happened so far. The events are shared with the world
// and must not be changed.
func (w *World) History() history.History {
	return history.History{
		Config: w.config, Nodes: w.subject.Nodes,
		Schedule: w.schedule[:len(w.schedule):len(w.schedule)],
		Events:   w.events[:len(w.events):len(w.events)],
	}
}

func (w *World) client(name string) *client {
	for _, c := range w.clients {
		if c.name == name {
			return c
		}
	}
	return nil
}

// emit appends an event of a thread; of the world itself if t is nil. The dead
// do nothing: what their code does while it unwinds is no event.
func (w *World) emit(t *thread, e history.Event) {
	if w.unwinding {
		return
	}
	e.Seq, e.Pick, e.At = len(w.events), max(0, len(w.schedule)-1), w.now
	if t != nil {
		e.Client, e.Thread = t.client.name, t.id
	}
	if len(w.events) == cap(w.events) {
		w.events = slices.Grow(w.events, len(w.events)) // append grows large slices by less
	}
	w.events = append(w.events, e)
	w.bytes += bytesOf(&e)
	w.written.Add(1)
}

func (w *World) nextCall() int {
	w.calls++
	return w.calls
}
