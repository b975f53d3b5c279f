package render

import "lockstep/sim/history"

// A Snapshot is what there is to see of a world at one moment of a history.
type Snapshot struct {
	Now     history.Millis
	Locks   bool // the strategy keeps a lock in Redis
	Nodes   int
	Keys    []Key // by node, then by name
	Clients []Client
	Effect  history.Effect // on what the lock guards
}

// A Key is one key of one node.
type Key struct {
	Node, Name string
	State      *history.KeyState // nil if it has just gone
	Was        *history.KeyState // before the latest change
	Since      history.Millis    // when it got its deadline
	Changed    bool              // by the latest row
	Owner      int               // of the lock that it is: which client, from 1; 0 for none
}

// A Client is what one client believes, and whether Redis agrees.
type Client struct {
	Name   string
	Alive  bool
	Hung   bool
	Asks   Asks
	Holds  bool // it believes that it holds the lock
	Inside bool // it is in the critical section
	Owns   bool // it owns the key on enough nodes
	On     int  // on how many it does
}

// Asks is what became of a client's asking for the lock or giving it back.
type Asks byte

// What a client may know without holding the lock.
const (
	Nothing Asks = iota
	Trying
	Refused
	Unknown // no answer came
)
