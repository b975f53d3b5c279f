package program

import (
	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/strategies"
)

// A Subject is the lock under test: its constructor, and what the world must
// know about it.
type Subject struct {
	New   func(strategies.Env) strategies.Lock
	Nodes int // the number of nodes; 0 for none
	// Server is the kind of these nodes.
	Server sim.ServerKind
	// Addresses is how many addresses of ZooKeeper servers the client's library
	// gets, all of one ensemble. 0 is 1.
	Addresses int
	Polls     bool   // it retries by itself for Config.Wait
	Key       string // its own key in Redis; "" for Config.Key
	// TTL is the lease time of single clients, where it differs from
	// Config.TTL.
	TTL map[string]history.Millis
	// Start starts a client whose code was not written for Lockstep and keeps
	// its own time; nil for a Coroutine.
	Start func(config history.Config, subject Subject, name string) Code
	// World adapts the configuration of a hazard to the lock; nil if there is
	// nothing to adapt.
	World func(c *history.Config)
	// Draws marks code that draws random values that cannot be repeated. Each
	// client then runs twice, and names replace the values that differ.
	Draws bool
	// Delays marks code that draws how long it waits, so that Config.Delay makes
	// a difference.
	Delays bool
	// Timeless marks code in a bubble that starts no timer but by its Env's Clock
	// and in the ZooKeeper library. Where no such timer runs, time alone does not
	// bring it to the seam.
	Timeless bool
}

// Traits are what runs show of a lock's code, and first probes, a few schedules without
// faults.
type Traits struct {
	Draws, Delays bool // see Subject
	// AtOnce is set if Lock sends a command again at the same moment, and read no message
	// between.
	AtOnce bool `json:",omitempty"`
	// Returned are the errors that the test lists as the lock's own, and whether it has
	// returned them.
	Returned map[string]bool `json:",omitempty"`
	// Keys are those that an acquisition changed in Redis, sorted. Keyless is set if one
	// changed none.
	Keys    []string `json:",omitempty"`
	Keyless bool     `json:",omitempty"`
	// Stays is set if the only key was there from an acquisition over its release to the next.
	Stays bool `json:",omitempty"`
	// Mute is what an acquisition says of a lock that sends no command and is never acquired, or
	// that it does not end.
	Mute string `json:",omitempty"`
	// Endless is set if a client runs without end.
	Endless bool `json:",omitempty"`
}

// KeepsTime reports whether the code of a client has its own clock, so that
// each observation has a time.
func (s Subject) KeepsTime() bool { return s.Start != nil }

// TimerStrand is the strand of such code that waits for its next timer. The
// strands after it are operations of its goroutines.
const TimerStrand = 1

// In returns the subject for a configuration, which may set the number of nodes
// of a lock on several nodes.
func (s Subject) In(c history.Config) Subject {
	if s.Nodes > 1 && c.Nodes > 0 {
		s.Nodes = c.Nodes
	}
	return s
}
