package model

import (
	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/server"
)

// A learnedNode is a Server whose states are numbers.
type learnedNode struct {
	*Model
	place int
	name  string
}

func (n learnedNode) state(at sim.Ref) server.Value {
	n.Model.touched |= 1 << n.place
	return n.nodes.list[at]
}

// Health is sim.Server's.
func (n learnedNode) Health(at sim.Ref) sim.Health { return n.state(at).Condition() }

// Has is sim.Server's.
func (n learnedNode) Has(at sim.Ref, key string) bool {
	return n.state(at).Has(key)
}

// Behind is sim.Server's.
func (n learnedNode) Behind(at sim.Ref) int { return n.state(at).Missed() }

// Execute is sim.Server's.
func (n learnedNode) Execute(at sim.Ref, conn string, units []sim.Unit, now history.Millis) (sim.Ref, []sim.Executed, error) {
	n.state(at)
	return n.execute(at, n.name, conn, units, now)
}

// NextExpiry is sim.Server's.
func (n learnedNode) NextExpiry(at sim.Ref) (history.Millis, bool) { return n.state(at).Next() }

// Pass is sim.Server's.
func (n learnedNode) Pass(at sim.Ref, now history.Millis) (sim.Ref, sim.Happened, error) {
	after, did := n.state(at).Wait(now)
	return n.after(at, after), did, nil
}

// Fault is sim.Server's.
func (n learnedNode) Fault(at sim.Ref, a history.Action, now history.Millis) (sim.Ref, sim.Happened, error) {
	after, did := n.state(at).Hit(a, now)
	return n.node(after), did, nil
}

// Unread is sim.Server's.
func (n learnedNode) Unread(at sim.Ref, conn string) (sim.Message, bool) {
	return n.state(at).Unread(conn)
}

// Take is sim.Server's.
func (n learnedNode) Take(at sim.Ref, conn string) sim.Ref { return n.node(n.state(at).Read(conn)) }

// Broken is sim.Server's.
func (n learnedNode) Broken(at sim.Ref, conn string) bool { return n.state(at).Broken(conn) }

// Forget is sim.Server's.
func (n learnedNode) Forget(at sim.Ref, gone func(conn string) bool) sim.Ref {
	return n.after(at, n.state(at).Drop(gone))
}

// Attend is sim.Server's.
func (n learnedNode) Attend(at sim.Ref, client string, how sim.Attendance) sim.Ref {
	if n.Subject.Server == sim.Redis {
		return at // nothing there depends on it
	}
	return n.after(at, n.state(at).Attend(client, how))
}

// after returns the number of a state that follows another, which it may equal.
func (n learnedNode) after(at sim.Ref, v server.Value) sim.Ref {
	if n.nodes.list[at].Same(v) {
		return at
	}
	return n.node(v)
}

// A learnedStore is a Store that records its use.
type learnedStore struct{ *Model }

// Do is sim.Store's.
func (s learnedStore) Do(r sim.ResourceState, a *sim.Access) (sim.ResourceState, error) {
	s.Model.touched |= s.resourceBit()
	return sim.InMemory{}.Do(r, a)
}
