package model

import (
	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/server"
)

// numbered holds the states of a node by their numbers, and records their use.
type numbered struct {
	*Model
	place int
}

// At is server.Holder's.
func (n numbered) At(at sim.Ref) server.Value {
	n.Model.touched |= 1 << n.place
	return n.nodes.list[at]
}

// Put is server.Holder's.
func (n numbered) Put(after sim.Ref, v server.Value) sim.Ref {
	if n.nodes.list[after].Same(v) {
		return after
	}
	return n.node(v)
}

// A learnedNode is a node that executes the same only once.
type learnedNode struct {
	server.Node
	model *Model
}

// Execute is sim.Server's.
func (n learnedNode) Execute(at sim.Ref, conn string, units []sim.Unit, now history.Millis) (sim.Ref, []sim.Executed, error) {
	n.At(at)
	return n.model.execute(at, n.Name, conn, units, now)
}

// Attend is sim.Server's.
func (n learnedNode) Attend(at sim.Ref, client string, how sim.Attendance) sim.Ref {
	if n.model.Subject.Server == sim.Redis {
		return at // nothing there depends on it
	}
	return n.Node.Attend(at, client, how)
}

// A learnedStore is a Store that records its use.
type learnedStore struct{ *Model }

// Do is sim.Store's.
func (s learnedStore) Do(r sim.ResourceState, a *sim.Access) (sim.ResourceState, error) {
	s.Model.touched |= s.resourceBit()
	return sim.InMemory{}.Do(r, a)
}
