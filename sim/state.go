// Package sim defines what can happen in a world and what it does: State.Refusal
// and State.Step, over a table of rules (enabled.go, step.go, message.go,
// time.go). A State is a value: clients, nodes, messages in transit, the guarded
// resource, the time. Neither function runs code of a lock or of Redis: they ask
// Parties (parties.go), which are live in package world and learnt in package
// model.
//
// Stories, explorers and players pick the actions. Package history judges the
// result. Package program runs the clients' code, package server is the nodes,
// and package world is a State with live parties and its history.
//
// Start with State.Step. README.md in this folder is a map.
package sim

import (
	"slices"

	"lockstep/internal/lang"
	"lockstep/sim/history"
)

// A State is everything in a world that can affect its future, as a value. A Ref
// names what only a party knows: where code stands, what a node stores.
type State struct {
	Now      history.Millis
	Clients  []ClientState
	Nodes    []Ref
	Resource ResourceState
	// Abandoned are the requests in transit whose senders no longer wait, by
	// client, and in order for each client.
	Abandoned []Abandoned
}

// A Ref is a learnt party's number for one of its states. A live party has only
// its present state and ignores it.
type Ref int32

// A ClientState is a process: where its code stands, and the state of its
// strands.
type ClientState struct {
	Code   Ref // for its Program
	Dead   bool
	Done   bool // all its code has ended
	Hung   bool // its main strand hangs
	Paused bool // until its next step
	Clock  Clock
	Cut    uint16 // the nodes it is cut off from, a bit each
	// Cancelled are the strands whose context has ended, a bit each.
	Cancelled uint64
	Stamp     int64 // of the last reply that it has read; see Executed
	Strands   []Strand
}

// A Strand is one strand of a client's code, while it waits for its next step.
type Strand struct {
	Phase Phase
	Until history.Millis // a sleeper wakes; a sender gives up, or Forever
	Life  int            // OnTheWay, Answered, Held: that of the node when the command left
	Reply string         // the bytes that the node answered, whatever becomes of them
	Stamp int64          // of the reply
	Shown []string       // the same as events show it, by unit
	Call  int            // numbers the first of its commands, for the events; 0 in a model
}

// A Phase is how far a strand's command is.
type Phase byte

// The phases of a command.
const (
	Idle     Phase = iota // it has not left
	OnTheWay              // it has not reached the node
	Answered              // the reply can be read
	Lost                  // no reply will come
	Declined              // the node accepts no connection
	CutShort              // the connection has broken
	Held                  // the node has it and will reply later
)

// An Abandoned is a request in transit whose sender has timed out or died.
type Abandoned struct {
	Client, Strand int
	Want           Want
	Call           int
}

// Begun reports whether any code of the client has run.
func (c *ClientState) Begun() bool { return c.Dead || c.Done || c.Code != 0 }

// CutOff reports whether the client is cut off from a node.
func (c *ClientState) CutOff(node int) bool { return c.Cut>>node&1 == 1 }

// abandonedBy returns the place of the oldest abandoned request of a client; -1
// if there is none.
func (s *State) abandonedBy(client int) int {
	return slices.IndexFunc(s.Abandoned, func(a Abandoned) bool { return a.Client == client })
}

// This file has the accessors of a strand.

// TextOf describes in full what the strand is about to do.
func (s *State) TextOf(client, strand int, p *Parties) lang.Message {
	m := attempt{State: s, Parties: p, client: client}
	return m.wants()[strand].InFull(m.me().Clock)
}

// PhaseOf returns how far its command is, if it is sending one.
func (s *State) PhaseOf(client, strand int, p *Parties) Phase {
	m := attempt{State: s, Parties: p, client: client}
	return m.phase(&s.Clients[client].Strands[strand], &m.wants()[strand])
}

// Waits reports whether its command is in transit and has not timed out.
func (s *State) Waits(client, strand int, p *Parties) bool {
	m := attempt{State: s, Parties: p, client: client}
	t, w := &s.Clients[client].Strands[strand], &m.wants()[strand]
	return s.Now < t.Until && w.Saw == SawReply && m.phase(t, w) == OnTheWay
}

// DueOf returns when it can go on, if it waits for time; a hung strand does not.
func (s *State) DueOf(client, strand int, p *Parties) (at history.Millis, waits bool) {
	c := &s.Clients[client]
	if strand == 0 && c.Hung {
		return 0, false
	}
	m := attempt{State: s, Parties: p, client: client}
	if at, waits = m.due(&c.Strands[strand], &m.wants()[strand]); !waits {
		return 0, false
	}
	return at, true
}

// DeadlineOf returns the next moment at which time matters to a client.
func (s *State) DeadlineOf(client int, p *Parties) (next history.Millis, ok bool) {
	c := &s.Clients[client]
	if c.Dead || c.Done {
		return 0, false
	}
	for id := range c.Strands {
		if at, waits := s.DueOf(client, id, p); waits && at != Forever && at > s.Now && (!ok || at < next) {
			next, ok = at, true
		}
	}
	return next, ok
}
