package program

import (
	"context"

	"lockstep/sim"
	"lockstep/sim/history"
)

// Code is the code of one client. It is a sim.Program that keeps only its current
// state, so it ignores Refs. Its observations determine its steps. Close it when
// done.
type Code interface {
	sim.Program
	Close()
	// Within stops waiting for stuck code when ctx ends. Call it before the
	// first observation.
	Within(ctx context.Context)
	// Show sets the function that numbers the client's operations, and adds the
	// lines of its code to its events. Call it before the first observation.
	Show(number func() int)
	// Since sets which action of the schedule, from 1, starts the next code;
	// Stuck.Action reports it.
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

// New returns the code of the client with a name, which may be sim.Probe. The
// code does not run yet.
func New(config history.Config, subject Subject, name string) Code {
	subject = subject.In(config)
	if subject.Start != nil {
		return subject.Start(config, subject, name)
	}
	return newCoroutine(config, subject, name)
}
