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
	// Slept reports whether a strand has slept.
	Slept(strand int) bool
}

// A Sleeper is Code that can defer its execution, until its wants or events are
// needed.
type Sleeper interface {
	// Told records an observation of an earlier run.
	Told(strand int, o sim.Observation)
	// Walk makes observations one after the other, and returns what the code does
	// after each. To learn the want of the clock strand, time has
	// to pass, and the code has to start again before another strand can observe
	// anything. So Walk returns that want only where asked, before an observation of
	// the clock strand, and at the end. Elsewhere it has no name.
	Walk(steps []Stride) ([]Did, error)
	// Repeat makes the observations of a round over and over, at most so many, while
	// the code emits no event and wants before each what the round says, the clock strand
	// apart. It returns how many it made so; the code may have made one more.
	Repeat(round []Turn, most int) (made int, err error)
}

// An Observed is an observation of a strand.
type Observed struct {
	Strand int
	sim.Observation
}

// A Turn is a step of a round.
type Turn struct {
	Observed
	Wants []sim.Want // before it
}

// A Stride is a step of a walk.
type Stride struct {
	Observed
	Clock bool // the want of the clock strand is asked for
}

// A Did is what code does after an observation.
type Did struct {
	Events []history.Event
	Wants  []sim.Want
}

// ErrNondeterministic is sim's.
var ErrNondeterministic = sim.ErrNondeterministic

// New returns the code of the client with a name, which may be sim.Probe. The
// code does not run yet.
func New(config history.Config, subject Subject, name string) Code {
	subject = subject.In(config)
	if subject.Start != nil {
		return subject.Start(config, subject, name)
	}
	return newCoroutine(config, subject, name)
}
