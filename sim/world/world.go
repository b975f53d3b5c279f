package world

import (
	"context"
	"slices"

	"lockstep/internal/lang"
	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/live"
	"lockstep/sim/program"
	"lockstep/sim/server"
)

// A World is a State with live parties, and the history so far. Perform drives
// it. It is not safe for concurrent use, but any number of worlds may exist side
// by side. Close it when done.
type World struct {
	subject  program.Subject
	state    sim.State
	parties  sim.Parties
	programs []program.Code // those of parties
	nodes    []node         // those of parties
	close    func()         // the store
	calls    int
	events   []history.Event
	bytes    int // that the events take
	schedule history.Schedule
	ctx      context.Context // see Within
	over     error           // what ended the run
	err      error           // of closing
}

// A node is a Server that has to be closed, and says what it stores.
type node interface {
	sim.Server
	Keys() []server.KeyView // sorted by key
	Close() error
}

// ErrNotEnabled says that an action cannot happen in the present state.
var ErrNotEnabled = lang.Errorf("not possible now")

// New builds a world in its first state. No code of a client has run yet.
func New(config history.Config, subject program.Subject) (*World, error) {
	return newWorld(config, subject, func(name string, _ int) (node, error) {
		return server.NewEmbedded(name, config.Lag)
	})
}

func newWorld(config history.Config, subject program.Subject, newNode func(name string, i int) (node, error)) (*World, error) {
	if err := config.Check(); err != nil {
		return nil, lang.Errorf("world: %w", err)
	}
	w := &World{subject: subject.In(config), events: make([]history.Event, 0, 64)}
	w.state.Resource.Value = config.Items()
	store, closeStore, err := openStore(config, w.state.Resource)
	if err != nil {
		return nil, err
	}
	w.close = closeStore
	w.parties = sim.Parties{Config: config, Store: store, Emit: w.emit, Call: w.nextCall, KeepTime: subject.KeepsTime()}
	for i := range w.subject.Nodes {
		n, err := newNode(sim.NodeName(i), i)
		if err != nil {
			w.Close()
			return nil, err
		}
		w.nodes = append(w.nodes, n)
		w.parties.Servers = append(w.parties.Servers, n)
		w.state.Nodes = append(w.state.Nodes, 0)
	}
	for _, name := range config.Clients {
		w.addClient(name)
	}
	return w, nil
}

func (w *World) addClient(name string) {
	p := program.New(w.parties.Config, w.subject, name)
	p.Show(w.nextCall)
	p.Within(w.ctx)
	w.programs = append(w.programs, p)
	w.parties.Programs = append(w.parties.Programs, p)
	w.parties.Names = append(w.parties.Names, name)
	w.state.Clients = append(w.state.Clients, sim.ClientState{Strands: make([]sim.Strand, 1)})
}

// Close ends every client and node. The history stays readable.
func (w *World) Close() {
	for _, p := range w.programs {
		p.Close()
	}
	for _, n := range w.nodes {
		if err := n.Close(); err != nil && w.err == nil {
			w.err = err
		}
	}
	w.close()
}

// Err says what went wrong with a real server when the world was closed.
func (w *World) Err() error { return w.err }

// Now returns the virtual time.
func (w *World) Now() history.Millis { return w.state.Now }

// History returns what happened so far. The events are shared with the world
// and must not be changed.
func (w *World) History() history.History {
	return history.History{
		Config: w.parties.Config, Nodes: w.subject.Nodes,
		Schedule: w.schedule[:len(w.schedule):len(w.schedule)],
		Events:   w.events[:len(w.events):len(w.events)],
	}
}

// Perform lets one action happen and appends it to the schedule. An action
// that is not enabled changes nothing and gives an error that wraps
// ErrNotEnabled and says why; where the run is as long as a run can be, the
// error wraps ErrTooLong. Any other error is the end of the run: that of the
// store, of a real server, or a *StuckError. A *live.RefusedError says why something cannot
// be done there.
func (w *World) Perform(a history.Action) error {
	if w.over != nil {
		return lang.Errorf("%s: %w", a, w.over)
	}
	if why := w.state.Refusal(a, &w.parties); !why.No() {
		return lang.Errorf("%s: %w: %v", a, ErrNotEnabled, why)
	}
	if err := w.full(); err != nil {
		return lang.Errorf("%s: %w", a, err)
	}
	w.schedule = append(w.schedule, a)
	if err := w.step(a); err != nil {
		return lang.Errorf("%s: %w", a, err)
	}
	return nil
}

// step lets an action happen that can. An error is the end of the run.
func (w *World) step(a history.Action) error {
	for _, p := range w.programs {
		p.Since(len(w.schedule))
	}
	w.over = w.state.Step(a, &w.parties)
	return w.over
}

// Within makes an end of ctx one of waiting for code of a client that is stuck.
// It is called before anything is performed.
func (w *World) Within(ctx context.Context) {
	w.ctx = ctx
	for _, p := range w.programs {
		p.Within(ctx)
	}
}

// Run performs a whole schedule.
func (w *World) Run(s history.Schedule) error {
	for i, a := range s {
		if err := w.Perform(a); err != nil {
			return lang.Errorf("action %d: %w", i+1, err)
		}
	}
	return nil
}

// wants says what the strands of a client are about to do.
func (w *World) wants(i int) []sim.Want { return w.programs[i].Wants(0) }

// emit appends an event.
func (w *World) emit(e history.Event) {
	e.Seq, e.Pick, e.At = len(w.events), max(0, len(w.schedule)-1), w.state.Now
	if len(w.events) == cap(w.events) {
		w.events = slices.Grow(w.events, len(w.events)) // append grows large slices by less
	}
	w.events = append(w.events, e)
	w.bytes += bytesOf(&e)
}

func (w *World) nextCall() int {
	w.calls++
	return w.calls
}

// NewLive builds a world whose nodes are parts of real servers; there may be
// fewer servers than nodes. It is used as any other world is, but that Err has
// to be asked after Close.
func NewLive(ctx context.Context, config history.Config, subject program.Subject, servers []*live.Server) (*World, error) {
	return newWorld(config, subject, func(name string, i int) (node, error) {
		return server.NewReal(ctx, name, config.Lag, servers[i%len(servers)])
	})
}

// Drift returns how far real time has been ahead of the world's when a command
// was executed, at most.
func (w *World) Drift() history.Millis {
	var most history.Millis
	for _, n := range w.nodes {
		if l, ok := n.(*server.Real); ok {
			most = max(most, l.Drift())
		}
	}
	return most
}

// openStore opens the store that a configuration names, and returns how to
// close it.
func openStore(c history.Config, first sim.ResourceState) (sim.Store, func(), error) {
	if c.Store != history.InSQL {
		return sim.InMemory{}, func() {}, nil
	}
	t, err := openTable(c.Resource, first)
	if err != nil {
		return nil, nil, err
	}
	return t, t.close, nil
}
