package explore

import (
	"slices"

	"lockstep/sim"
	"lockstep/sim/history"
)

// Bounds says which worlds are explored: what may happen beside the steps of
// the clients, and how often.
type Bounds struct {
	// Faults may each happen to any client and any node: Client and Node are
	// ignored, but that a Jump with a Node is one of a node's clock.
	Faults []history.Action
	Budget int // faults in one schedule, at most
	Ticks  int // how often time may pass to the next deadline, at most
	// Anywhere lets time pass at any moment, as while a process is paused.
	// Otherwise time passes only when nobody who has begun can take a step, or
	// whoever can spins.
	Anywhere bool
	// Leap is by how much time passes where nothing and nobody waits for it; 0
	// is not at all. A lease that is kept in a value has no deadline that the
	// world could see.
	Leap   history.Millis
	States int // give up beyond that many states; 0 is no limit
	// Unbroken replaces States while no invariant has been seen violated; 0 does
	// not. Whether a lock recovers is only asked in the end.
	Unbroken int
	Depth    int // give up beyond that many actions; 0 is no limit
	Memory   int // give up beyond about that many bytes, as estimated; 0 is no limit
}

// ofNodes lists the faults that concern no client, each for every node.
func (b Bounds) ofNodes(nodes int) (actions []history.Action) {
	s := sim.State{Nodes: make([]sim.Ref, nodes)} // with no client in it
	for _, f := range b.Faults {
		actions = append(actions, s.Candidates(nil, f)...)
	}
	return actions
}

// slow says whether a request that has been sent stays on its way until its
// sender gives up: that it may be sent early would make no difference.
func (b Bounds) slow() bool { return b.IsFault(history.Send) }

// IsFault says whether the verb counts against the budget.
func (b Bounds) IsFault(v history.Verb) bool {
	return slices.ContainsFunc(b.Faults, func(a history.Action) bool { return a.Verb == v })
}

// A Spending is how much of its bounds a schedule has used up. What is left of
// them is part of a state.
type Spending struct{ Faults, Ticks int }

// Add counts an action.
func (s *Spending) Add(b Bounds, a history.Action) {
	switch {
	case a.Verb.IsTime():
		s.Ticks++
	case b.IsFault(a.Verb):
		s.Faults++
	}
}

// Spending counts a whole schedule.
func (b Bounds) Spending(s history.Schedule) (spent Spending) {
	for _, a := range s {
		spent.Add(b, a)
	}
	return spent
}

// Beside the states, a search takes about so many bytes for each of these.
const (
	bytesPerEnd    = 24
	bytesPerAnswer = 150 // whether the lock recovers from a state, or what a world on the way there comes to
)

// bytes estimates how much memory the search takes.
func (e *search) bytes() int { return e.Model.Bytes() + e.states.bytes() + bytesPerEnd*len(e.ends) }

// full says whether the search takes more memory than it may.
func (e *search) full() bool { return e.bounds.Memory > 0 && e.bytes() > e.bounds.Memory }

// overfull says whether it does so with what is asked of its states afterwards,
// which may take half as much again: a search that was full still tells what
// can be told of what it has found.
func (e *search) overfull(more int) bool {
	return e.bounds.Memory > 0 && e.bytes()+more > e.bounds.Memory+e.bounds.Memory/2
}
