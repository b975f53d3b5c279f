package program

import (
	"context"

	"lockstep/sim"
	"lockstep/sim/history"
)

// Code is the code of one client: a sim.Program that has only its present state
// and ignores Refs. Its steps are a function of its observations. Close it when
// done.
type Code interface {
	sim.Program
	Close()
	// Within stops waiting for stuck code when ctx ends. Call it before the
	// first observation.
	Within(ctx context.Context)
	// Show makes number number the client's operations, and makes events name
	// the lines of its code. Call it before the first observation.
	Show(number func() int)
	// Since sets the action of the schedule, from 1, that starts the next code;
	// a Stuck reports it.
	Since(action int)
	// Seen returns all observations, in order.
	Seen() []byte
	// Slept reports whether a strand has slept.
	Slept(strand int) bool
}

// A Sleeper is Code that can defer its execution. Told records an observation
// of an earlier run; the code runs when its wants or events are needed.
type Sleeper interface {
	Told(strand int, o sim.Observation)
}

// New starts the client with a name, which may be sim.Probe. Its code does not
// run yet.
func New(config history.Config, subject Subject, name string) Code {
	subject = subject.In(config)
	if subject.Start != nil {
		return subject.Start(config, subject, name)
	}
	return newCoroutine(config, subject, name)
}
