// Package world contains World: a sim.State with live clients and nodes, and the
// history so far. Its clients run real code on go-redis. Each node is a
// miniredis, or a part of a real Redis server (NewLive). Its clock is virtual. A
// driver picks one of the enabled actions; the world performs it and appends
// events to its history. Configuration and schedule determine every byte of the
// history.
//
//	w, err := world.New(config, subject)
//	defer w.Close()
//	err = w.Perform(history.Action{Verb: history.Step, Client: "A"})
package world

import (
	"context"
	"slices"

	"lockstep/internal/lang"
	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/program"
	"lockstep/sim/server"
)

// A World is a State with live parties, and the history so far. Perform drives
// it. It is not safe for concurrent use, but many worlds may exist at the same
// time. Close it when done.
type World struct {
	subject  program.Subject
	state    sim.State
	parties  sim.Parties
	programs []program.Code // the same as in parties
	nodes    []Node         // the same as in parties
	close    func()         // closes the store
	read     bool           // its events are; see NewUnread
	calls    int
	events   []history.Event
	bytes    int // the memory of the events; see bytesOf
	schedule history.Schedule
	ctx      context.Context // see Within
	next     []history.Next
	ahead    map[string]string // the last of next of each thread
	over     error             // the error that ended the run
	err      error             // from closing
}

// A Node is a Server that can be closed and lists its keys.
type Node interface {
	sim.Server
	Keys() []server.KeyView // sorted by key
	Close() error
}

// ErrNotEnabled means that an action is impossible in the present state.
var ErrNotEnabled = lang.Errorf("not possible now")

// New builds a world in its first state. No client's code has run yet.
func New(config history.Config, subject program.Subject) (*World, error) {
	return newWorld(config, subject, true, simulated(config, subject))
}

// NewUnread is New for a world whose events nobody reads. They name no lines of code:
// of a lock on ZooKeeper, these take longer to find than all the rest.
func NewUnread(config history.Config, subject program.Subject) (*World, error) {
	return newWorld(config, subject, false, simulated(config, subject))
}

func simulated(config history.Config, subject program.Subject) func(name string) (Node, error) {
	return func(name string) (Node, error) {
		return server.Node{Name: name, Holder: &held{server.New(subject.Server, config)}}, nil
	}
}

// held holds the present state of a node.
type held struct{ server.Value }

// At is server.Holder's.
func (h *held) At(sim.Ref) server.Value { return h.Value }

// Put is server.Holder's.
func (h *held) Put(_ sim.Ref, v server.Value) sim.Ref {
	h.Value = v
	return 0
}

func newWorld(config history.Config, subject program.Subject, read bool, newNode func(name string) (Node, error)) (*World, error) {
	if err := config.Check(); err != nil {
		return nil, lang.Errorf("world: %w", err)
	}
	if config.Process == history.Shared && subject.Start == nil {
		return nil, lang.Errorf("world: process=%s: only a lock of your own has goroutines that share a process; see locktest.Goroutines", history.Shared)
	}
	w := &World{subject: subject.In(config), read: read, ahead: map[string]string{}, events: make([]history.Event, 0, 64)}
	w.state.Resource.Value = config.Items()
	store, closeStore, err := openStore(config, w.state.Resource)
	if err != nil {
		return nil, err
	}
	w.close = closeStore
	w.parties = sim.Parties{Config: config, Store: store, Emit: w.emit, Call: w.nextCall, KeepTime: subject.KeepsTime()}
	for i := range w.subject.Nodes {
		n, err := newNode(history.NodeName(i))
		if err != nil {
			w.Close()
			return nil, err
		}
		w.nodes = append(w.nodes, n)
		w.parties.Servers = append(w.parties.Servers, n)
		w.state.Nodes = append(w.state.Nodes, 0)
	}
	if config.Scripts == history.KnownScripts && subject.Server == sim.Redis {
		if err := w.load(scriptsOf(config, subject)); err != nil {
			w.Close()
			return nil, err
		}
	}
	for _, name := range config.Processes() {
		w.addClient(name)
	}
	return w, nil
}

func (w *World) addClient(name string) {
	p := program.New(w.parties.Config, w.subject, name)
	if w.read {
		p.Show(w.nextCall)
	}
	p.Within(w.ctx)
	w.programs = append(w.programs, p)
	w.parties.Programs = append(w.parties.Programs, p)
	w.parties.Names = append(w.parties.Names, name)
	strands := 1
	if w.parties.Config.Process == history.Shared && name != sim.Probe {
		strands = len(p.Wants(0)) // the goroutines may begin in any order
	}
	w.state.Clients = append(w.state.Clients, sim.ClientState{Strands: make([]sim.Strand, strands)})
}

// Close ends all clients and nodes. The history stays readable.
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

// Err returns the error of a real server when the world was closed.
func (w *World) Err() error { return w.err }

// Now returns the virtual time.
func (w *World) Now() history.Millis { return w.state.Now }

// History returns the history so far. The caller must not change its events,
// which the world shares.
func (w *World) History() history.History {
	return history.History{
		Config: w.parties.Config, Nodes: w.subject.Nodes,
		Schedule: w.schedule[:len(w.schedule):len(w.schedule)],
		Events:   w.events[:len(w.events):len(w.events)],
		Next:     w.next[:len(w.next):len(w.next)],
	}
}

// Perform performs an action and appends it to the schedule. If the action is
// not enabled, nothing changes, and the error wraps ErrNotEnabled with the
// reason. If the run has reached its maximum length, the error wraps
// ErrTooLong. Any other error ends the run: an error of the store or of a real
// server, or a *StuckError. A *live.RefusedError is what a real server cannot
// do.
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

// step performs a possible action. An error ends the run.
func (w *World) step(a history.Action) error {
	for _, p := range w.programs {
		p.Since(len(w.schedule))
	}
	w.over = w.state.Step(a, &w.parties)
	w.lookAhead()
	return w.over
}

// lookAhead notes which lines of code the clients do next.
func (w *World) lookAhead() {
	for i := 0; w.read && i < len(w.programs); i++ {
		for id, want := range w.wants(i) {
			of := w.parties.OfStrand(history.Step, i, id)
			who := history.StrandName(of.Client, of.Strand)
			if want.Ended {
				want.Source = ""
			}
			if last, known := w.ahead[who]; !want.Fresh && (!known || last != want.Source) {
				w.ahead[who] = want.Source
				w.next = append(w.next, history.Next{After: len(w.schedule), Who: who, Source: want.Source})
			}
		}
	}
}

// Within stops waiting for a client's stuck code when ctx ends. Call it before
// the first action.
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

// wants returns what the strands of a client are about to do.
func (w *World) wants(i int) []sim.Want { return w.programs[i].Wants(0) }

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

// NewLive builds a world whose nodes are real servers, which start starts. Call Err
// after Close; all else is as in any world.
func NewLive(config history.Config, subject program.Subject, start func(name string) (Node, error)) (*World, error) {
	return newWorld(config, subject, true, start)
}

// OpenTable opens the store sql, and returns a function that closes it. A program without
// a database leaves it nil, and keeps the row in memory: the history is the same, to the
// byte. TestStoriesAgreeOnBothStores (package scenarios) compares them.
var OpenTable func(name string, first sim.ResourceState) (sim.Store, func(), error)

// openStore opens the configured store.
func openStore(c history.Config, first sim.ResourceState) (sim.Store, func(), error) {
	if c.Store != history.InSQL || OpenTable == nil {
		return sim.InMemory{}, func() {}, nil
	}
	return OpenTable(c.Resource, first)
}
