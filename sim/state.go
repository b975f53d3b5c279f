package sim

import (
	"slices"

	"lockstep/sim/history"
)

// A State is all of a world that makes a difference to its future, as a value.
// What only its parties can say more of, where code stands and what a node
// stores, it names by a Ref.
type State struct {
	Now      history.Millis
	Clients  []ClientState
	Nodes    []Ref
	Resource ResourceState
	// Abandoned are the requests that are on their way without anybody who
	// waits for a reply, by client, and those of one client in the order in
	// which they were given up.
	Abandoned []Abandoned
}

// A Ref is the number by which a learnt party knows a state of its own again. A
// live party has only the present state, and ignores it.
type Ref int32

// A ClientState is one process: where its code stands, and what the world owes
// its strands.
type ClientState struct {
	Code    Ref // for its Program
	Dead    bool
	Done    bool // all its code has come to its end; nothing else matters
	Hung    bool // its main strand never goes on
	Clock   Clock
	Cut     uint16 // from which nodes it is cut off, one bit each
	Strands []Strand
}

// A Strand is one strand of a client's code, while it waits for its next step.
type Strand struct {
	Phase Phase
	Until history.Millis // a sleeper wakes; a sender gives up
	Life  int            // OnTheWay, Answered: that of the node when the command left
	Reply string         // the bytes that the node answered, whatever becomes of them
	Shown []string       // the same as events show it, by unit
	Call  int            // numbers the first of its commands, for the events; 0 in a model
}

// A Phase says how far a strand's command is.
type Phase byte

// The phases of a command.
const (
	Idle     Phase = iota // it has not left
	OnTheWay              // it has not reached the node
	Answered              // the reply is there to be read
	Lost                  // nothing will come
	Declined              // the node accepts no connection
	CutShort              // the connection has ended under way
)

// An Abandoned is a request on its way whose sender has given up, or is dead.
type Abandoned struct {
	Client, Strand int
	Want           Want
	Call           int
}

// Clone returns a state that shares nothing that Step changes.
func (s State) Clone() State {
	s.Clients = slices.Clone(s.Clients)
	for i := range s.Clients {
		s.Clients[i].Strands = slices.Clone(s.Clients[i].Strands)
	}
	s.Nodes = slices.Clone(s.Nodes)
	s.Abandoned = slices.Clone(s.Abandoned)
	return s
}

// Begun says whether any code of the client has run.
func (c *ClientState) Begun() bool { return c.Dead || c.Done || c.Code != 0 }

// CutOff says whether nothing gets through between the client and a node.
func (c *ClientState) CutOff(node int) bool { return c.Cut>>node&1 == 1 }

// abandonedBy returns the place of the oldest abandoned request of a client; -1
// if there is none.
func (s *State) abandonedBy(client int) int {
	return slices.IndexFunc(s.Abandoned, func(a Abandoned) bool { return a.Client == client })
}
