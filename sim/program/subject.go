package program

import (
	"lockstep/sim/history"
	"lockstep/strategies"
)

// A Subject is the lock under test: how to make one for a client, and what
// the world must know of it.
type Subject struct {
	New   func(strategies.Env) strategies.Lock
	Nodes int    // how many Redis nodes it talks to; 0 for none
	Polls bool   // it keeps trying by itself for Config.Wait
	Key   string // in Redis, where the lock makes its own; "" for Config.Key
	// TTL is how long a client's leases last, where that is not Config.TTL: what if
	// one client had asked for more?
	TTL map[string]history.Millis
	// Start starts a client whose code was not written for Lockstep and keeps its
	// own time; nil for a Coroutine.
	Start func(config history.Config, subject Subject, name string) Code
	// World is what the lock wants of a world that a hazard makes; nil for nothing.
	World func(c *history.Config)
	// Draws says that such code draws random values that nobody can repeat. Each
	// client then runs twice over, and what differs is taken for a name.
	Draws bool
}

// KeepsTime says whether the code of a client runs by a clock of its own, so that
// whatever it observes it does at a certain time.
func (s Subject) KeepsTime() bool { return s.Start != nil }

// TimerStrand is the strand of such code whose step is the next timer that ends.
// Those behind it are the operations that its goroutines wait for.
const TimerStrand = 1

// In returns the subject as it is in a world of the given configuration: a
// lock on several nodes may be given another number of them.
func (s Subject) In(c history.Config) Subject {
	if s.Nodes > 1 && c.Nodes > 0 {
		s.Nodes = c.Nodes
	}
	return s
}
