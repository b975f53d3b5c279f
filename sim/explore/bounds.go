package explore

import (
	"slices"

	"lockstep/sim"
	"lockstep/sim/history"
)

// Bounds restricts the explored worlds: what may happen besides the steps of
// the clients, and how often.
type Bounds struct {
	// Faults may each happen to any client and any node. Their Client and Node
	// are ignored, except that a Jump or a Rate with a Node concerns a node's
	// clock.
	Faults []history.Action
	Budget int // the most faults in a schedule
	Ticks  int // how often time may pass to the next deadline, at most
	// Anywhere lets time pass at any moment, as while a process is paused.
	// Otherwise time passes only when no client that has begun can step, except
	// clients that spin or are paused.
	Anywhere bool
	// Leap is by how much time passes without a deadline; 0 for not at all. A
	// lease that is stored in a value has no deadline that the world knows.
	Leap history.Millis
	// Because is an invariant whose violation must have been part of a schedule
	// for the violation of another to count; "" for none.
	Because string
	States  int // the limit on states; 0 for none
	// Unbroken replaces States while no violation is known, unless it is 0.
	// lock-recovers is decided after the search.
	Unbroken int
	Depth    int // the limit on actions; 0 for none
	Memory   int // the limit on estimated bytes; 0 for none
	// Exact keeps all orders of a client's strands apart; see package model. It
	// changes no verdict, and takes longer.
	Exact bool
}

// ofNodes lists the faults that concern no client, for each node.
func (b Bounds) ofNodes(nodes int) (actions []history.Action) {
	s := sim.State{Nodes: make([]sim.Ref, nodes)} // no clients
	for _, f := range b.Faults {
		actions = append(actions, s.Candidates(&sim.Parties{}, f)...)
	}
	return actions
}

// slow reports whether a request that was sent stays in transit until its
// timeout. Sending it early would make no difference otherwise.
func (b Bounds) slow() bool { return b.IsFault(history.Send) }

// IsFault reports whether a verb counts against the budget.
func (b Bounds) IsFault(v history.Verb) bool {
	return slices.ContainsFunc(b.Faults, func(a history.Action) bool { return a.Verb == v })
}

// A Spending is the used part of the bounds. It is part of a state.
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

// Spending counts the actions of a schedule.
func (b Bounds) Spending(s history.Schedule) (spent Spending) {
	for _, a := range s {
		spent.Add(b, a)
	}
	return spent
}

// bytesPerEnd is the approximate memory of an end, in bytes.
const bytesPerEnd = 24

// bytes estimates the memory of the search.
func (e *search) bytes() int { return e.Model.Bytes() + e.states.bytes() + bytesPerEnd*len(e.ends) }

// full reports whether the search exceeds its memory.
func (e *search) full() bool { return e.bounds.Memory > 0 && e.bytes() > e.bounds.Memory }

// overfull reports whether the questions after the search exceed its memory.
// They may use half as much again, so that a search that is full can still
// report its counterexamples.
func (e *search) overfull(more int) bool {
	return e.bounds.Memory > 0 && e.bytes()+more > e.bounds.Memory+e.bounds.Memory/2
}
