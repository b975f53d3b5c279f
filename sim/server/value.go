package server

import (
	"slices"

	"lockstep/sim"
	"lockstep/sim/history"
)

// A Value is a node as a value: all of it that can change what a client sees. No
// method changes its receiver. Each kind of server implements it.
type Value interface {
	// Append appends a text that identifies the value. Equal text means the
	// same future.
	Append(b []byte) []byte
	// Same reports whether the value is plainly the same as another. If not,
	// Append decides.
	Same(Value) bool
	sim.View
	// List lists what the node stores, sorted by key.
	List() []KeyView
	// Timed reports whether what units do depends on the time, and not only on
	// the time that is left to keys; timed says so of a word.
	Timed(units []sim.Unit, timed func(word string) bool) bool
	// Execute executes units that arrive over a connection.
	Execute(name, conn string, units []sim.Unit, now history.Millis) (Value, []sim.Executed, error)
	// Pass lets time pass to a moment.
	Pass(now history.Millis) (Value, sim.Happened)
	// Fault applies a fault to the node.
	Fault(a history.Action, now history.Millis) (Value, sim.Happened)
	// Take returns the value without the oldest message that a connection's client has
	// not read.
	Take(conn string) Value
	// Forget drops connections that are no longer used.
	Forget(gone func(conn string) bool) Value
	// Attend records whether a client keeps its sessions alive; "" is all.
	Attend(client string, how sim.Attendance) Value
	// Shift returns the value moved in time.
	Shift(by history.Millis) Value
}

// kinds are the first states of the kinds of servers.
var kinds = map[sim.ServerKind]func(history.Config) Value{
	sim.Redis:     func(c history.Config) Value { return NodeState{Lag: c.Lag} },
	sim.ZooKeeper: newEnsemble,
}

// Register adds a kind of server. Call it before any world is built, with
// program.Register.
func Register(kind sim.ServerKind, first func(history.Config) Value) { kinds[kind] = first }

// New returns the first state of a node of a known kind.
func New(kind sim.ServerKind, c history.Config) Value { return kinds[kind](c) }

// Same is Value's. Pass and Forget change a state only if there is something to
// change.
func (s NodeState) Same(to Value) bool {
	after := to.(NodeState)
	return sameSlice(s.Keys, after.Keys) && sameSlice(s.Watches, after.Watches) && sameSlice(s.Blocked, after.Blocked) &&
		len(s.Behind)+len(after.Behind) == 0 && s.Health == after.Health && sameSlice(s.Scripts, after.Scripts)
}

// sameSlice reports whether two slices are the same memory.
func sameSlice[T any](a, b []T) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

func (s NodeState) Condition() sim.Health { return s.Health }
func (s NodeState) Missed() int           { return len(s.Behind) }
func (s NodeState) List() []KeyView       { return s.views() }

func (s NodeState) Has(key string) bool {
	return slices.ContainsFunc(s.Keys, func(k StoredKey) bool { return k.Key == key })
}

// Timed is Value's: TIME, EXPIREAT, PEXPIREAT, EXPIRETIME, and SET or HSETEX with
// EXAT or PXAT, also in a script.
func (s NodeState) Timed(units []sim.Unit, timed func(string) bool) bool {
	for _, u := range units {
		for _, cmd := range u.Cmds {
			if slices.ContainsFunc(cmd, timed) {
				return true
			}
		}
	}
	return slices.ContainsFunc(s.Scripts, timed)
}

// Attend is Value's. Nothing in Redis depends on who is alive.
func (s NodeState) Attend(string, sim.Attendance) Value { return s }

// A Holder keeps the states of a node.
type Holder interface {
	At(sim.Ref) Value
	// Put keeps what follows a state, and may equal it.
	Put(after sim.Ref, v Value) sim.Ref
}

// A Node is a sim.Server of values: that of a world or that of a model, by who holds them.
type Node struct {
	Name string
	Holder
}

// Keys returns every key, sorted.
func (n Node) Keys() []KeyView {
	views := n.At(0).List()
	for i := range views {
		views[i].Node = n.Name
	}
	return views
}

// Close ends the node.
func (Node) Close() error { return nil }

// View is Server's.
func (n Node) View(at sim.Ref) sim.View { return n.At(at) }

// Execute is Server's.
func (n Node) Execute(at sim.Ref, conn string, units []sim.Unit, now history.Millis) (sim.Ref, []sim.Executed, error) {
	after, done, err := n.At(at).Execute(n.Name, conn, units, now)
	if err != nil {
		return at, nil, err
	}
	return n.Put(at, after), done, nil
}

// Pass is Server's.
func (n Node) Pass(at sim.Ref, now history.Millis) (sim.Ref, sim.Happened, error) {
	after, did := n.At(at).Pass(now)
	return n.Put(at, after), did, nil
}

// Fault is Server's.
func (n Node) Fault(at sim.Ref, a history.Action, now history.Millis) (sim.Ref, sim.Happened, error) {
	after, did := n.At(at).Fault(a, now)
	return n.Put(at, after), did, nil
}

// Take is Server's.
func (n Node) Take(at sim.Ref, conn string) sim.Ref { return n.Put(at, n.At(at).Take(conn)) }

// Forget is Server's.
func (n Node) Forget(at sim.Ref, gone func(conn string) bool) sim.Ref {
	return n.Put(at, n.At(at).Forget(gone))
}

// Attend is Server's.
func (n Node) Attend(at sim.Ref, client string, how sim.Attendance) sim.Ref {
	return n.Put(at, n.At(at).Attend(client, how))
}
