package program

import (
	"context"

	"lockstep/sim"
	"lockstep/sim/history"
)

// Code is the code of one client: a sim.Program that has only the present
// state, so that its Refs mean nothing. It is a function of what it observes.
// Close it when done.
type Code interface {
	sim.Program
	Close()
	// Within makes an end of ctx one of waiting for code that is stuck. It is
	// called before anything is observed.
	Within(ctx context.Context)
	// Show is for a client whose events somebody reads: number numbers its
	// operations, and events name the lines of its code. It is called before
	// anything is observed.
	Show(number func() int)
	// Since says which action of the schedule, from 1, lets its code run from now
	// on, for a Stuck.
	Since(action int)
	// Seen returns all that it has observed, in order.
	Seen() []byte
	// Slept says whether a strand has slept at least once.
	Slept(strand int) bool
}

// A Sleeper is Code that need not run at once what it is told: Told notes that it
// observed something, as a run before it did. It runs when it is asked what
// nobody knows.
type Sleeper interface {
	Told(strand int, o sim.Observation)
}

// New starts the client of that name, which may be sim.Probe. No code of it has
// run yet.
func New(config history.Config, subject Subject, name string) Code {
	subject = subject.In(config)
	if subject.Start != nil {
		return subject.Start(config, subject, name)
	}
	return newCoroutine(config, subject, name)
}
