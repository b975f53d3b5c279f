package sim

import (
	"slices"
	"strconv"
	"time"

	"lockstep/sim/history"
)

// Parties are those whom Step asks: the programs of the clients, the servers of
// the nodes, the store of the resource. Live ones run real code; those of a
// model have learnt from it.
type Parties struct {
	Config   history.Config
	Names    []string // of the clients
	Programs []Program
	Servers  []Server
	Store    Store
	// KeepTime says that the programs run by clocks of their own: whatever they
	// observe, they do so at a time.
	KeepTime bool
	// Emit takes an event. Its place and time are the taker's to fill in.
	Emit func(history.Event)
	// Call numbers a command; nil where nobody asks which is which.
	Call func() int
}

// A Program is the code of one client.
type Program interface {
	// Wants says what each strand is about to do where the code stands. It must
	// not be changed.
	Wants(at Ref) []Want
	// Observe lets a strand learn something and go on to what it does next. It
	// returns where the code stands then, and what it did on the way that is no
	// command: it invoked an operation, came back from one, panicked.
	Observe(at Ref, strand int, o Observation) (Ref, []history.Event, error)
	// Die ends the code of a process that is dead.
	Die()
}

// A Want is what a strand is about to do.
type Want struct {
	Name  string // of a background strand
	Ended bool   // nothing: its code has returned
	Saw   Saw    // what a step will tell it
	Label string // a command's name, read, write, sleep ...
	Text  string // the same in full; of a command, see InFull

	Node   int    // SawReply: the node, from 0
	Conn   int    // SawReply: the connection, among the client's
	Units  []Unit // SawReply: what is sent
	During int    // SawReply: the operation under way; 0 for none
	Access Access // SawAccess
	// SawNothing: it has not begun; or it sleeps for For on its own clock, unless
	// what it sleeps under is done already.
	Fresh  bool
	Sleeps bool
	For    time.Duration
	Wakes  time.Time // not zero: it sleeps until its clock shows that
	Stays  bool      // SawNothing: it waits for another strand
}

// InFull says in full what the strand is about to do.
func (w *Want) InFull() string {
	if w.Saw == SawReply {
		return history.CommandText(w.Units[0].Shown)
	}
	return w.Text
}

// A Unit is what a node executes without anything in between: one command, or
// MULTI to EXEC.
type Unit struct {
	Cmds   [][]string // as the node gets them
	Shown  [][]string // the same, fit to be printed
	Source string     // the line of the strategy
}

// Units puts the commands from MULTI to EXEC into one unit.
func Units(cmds [][]string) []Unit {
	var units []Unit
	inTx := false
	begin := 0
	for i, cmd := range cmds {
		if !inTx {
			begin = i
			units = append(units, Unit{})
		}
		units[len(units)-1].Cmds = cmds[begin : i+1 : i+1]
		switch cmd[0] {
		case "MULTI":
			inTx = true
		case "EXEC", "DISCARD":
			inTx = false
		}
	}
	return units
}

// A Server is one node. Moments are the world's time.
type Server interface {
	// Health says what faults have made of the node.
	Health(at Ref) Health
	// Behind says how many writes its replica can have missed.
	Behind(at Ref) int
	// Has says whether a key is there.
	Has(at Ref, key string) bool
	// Execute executes units that arrive over a connection.
	Execute(at Ref, conn string, units []Unit, now history.Millis) (Ref, []Executed, error)
	// NextExpiry returns the moment at which the next key will be gone.
	NextExpiry(at Ref) (history.Millis, bool)
	// Pass lets time pass to a moment, and returns the keys that expired.
	Pass(at Ref, now history.Millis) (Ref, []history.Change, error)
	// Fault carries out a fault of the node, and returns what became of its keys.
	Fault(at Ref, a history.Action, now history.Millis) (Ref, []history.Change, error)
	// Broken says whether a connection has ended with the node's process without
	// its client having noticed.
	Broken(at Ref, conn string) bool
	// Forget forgets connections that nobody will use any more.
	Forget(at Ref, gone func(conn string) bool) Ref
}

// NodeName is what the node with that index is called.
func NodeName(i int) string { return "r" + strconv.Itoa(i+1) }

// ConnName is what a node calls a connection. It ends in a character that no
// number contains, so that no name is the beginning of another.
func ConnName(client string, conn int) string { return client + "/" + strconv.Itoa(conn) + "." }

// Health is what faults have made of a node.
type Health struct {
	Down  bool // it accepts no connection
	Slow  bool // it answers later than anybody waits
	Life  int  // how often its process has begun again
	Clock Clock
}

// An Executed is what came of one Unit on a node: its reply, and the keys that it
// changed.
type Executed struct {
	Raw     []byte // the reply's bytes
	Reply   string // the same, as an event shows it
	Changes []history.Change
}

// Shift returns what would have come of the unit at another time.
func (x Executed) Shift(by history.Millis) Executed {
	x.Changes = slices.Clone(x.Changes)
	for i := range x.Changes {
		ch := &x.Changes[i]
		ch.Before, ch.After = shift(ch.Before, by), shift(ch.After, by)
	}
	return x
}

func shift(k *history.KeyState, by history.Millis) *history.KeyState {
	if k == nil || k.Deadline == 0 {
		return k
	}
	moved := *k
	moved.Deadline += by
	return &moved
}

// A Store keeps the resource.
type Store interface {
	// Do carries out an access, as Access.Do does, and returns what it leaves.
	Do(ResourceState, *Access) (ResourceState, error)
}

// InMemory is the Store that is the State itself.
type InMemory struct{}

// Do is Store's.
func (InMemory) Do(r ResourceState, a *Access) (ResourceState, error) {
	a.Do(&r)
	return r, nil
}
