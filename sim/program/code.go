package program

import (
	"context"
	"os"
	"slices"

	"lockstep/internal/lang"
	"lockstep/sim"
	"lockstep/sim/history"
)

// Code is the code of one client. It is a sim.Program that keeps only its current
// state, so it ignores Refs. Its observations determine its steps. Close it when
// done.
type Code interface {
	sim.Program
	// Walk makes observations one after the other, until the code does something
	// else than a step says. It returns how many steps it made as they say, and what
	// it did at the last one or at the next.
	Walk(steps []Stride) (gone int, did Did, err error)
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

// An Observed is an observation of a strand.
type Observed struct {
	Strand int
	sim.Observation
}

// A Stride is a step of a walk.
type Stride struct {
	Observed
	Did *Did // what the code does if it does the same as before; nil if that is not known
	// Told and Clock are for code that keeps its own time. If it is Told an
	// observation, it may run later, and Did makes no difference. To learn the want of the
	// clock strand, time has to pass, and the code has to start again before another
	// strand can observe anything. So that is compared only for Clock, before an
	// observation of the clock strand, and at the end.
	Told, Clock bool
	// Quiet takes it that the code, where it comes to the seam and no other strand lives, has
	// no timer that brings it there otherwise.
	Quiet bool
}

// Says reports whether code did what the step says.
func (s *Stride) Says(did Did) bool { return s.Did == nil || s.Did.Same(did) }

// A Did is what code does after an observation.
type Did struct {
	Events []history.Event
	Wants  []sim.Want
	Drew   uint32  // see sim.Observation; 0 for code that cannot draw
	Others []Other // what it drew otherwise meanwhile
}

// An Other is what code did where it drew otherwise, and had to run again.
type Other struct {
	At int // the observation, from 0
	Did
}

// Same reports whether both are the same to the code and to whoever observes it.
func (d Did) Same(as Did) bool {
	return slices.EqualFunc(d.Wants, as.Wants, sim.SameWant) && slices.EqualFunc(d.Events, as.Events, sameEvent)
}

// sameEvent reports whether two events are equal to the code that emits them.
func sameEvent(a, b history.Event) bool {
	return a.Kind == b.Kind && a.Op == b.Op && a.Outcome == b.Outcome && a.Token == b.Token && a.Fence == b.Fence && a.Text == b.Text && a.By == b.By && a.Client == b.Client
}

// ErrOutside means that the lock uses its own Redis client.
var ErrOutside = lang.Errorf("the lock uses a Redis client that it was not given")

// ErrNondeterministic is sim's.
var ErrNondeterministic = sim.ErrNondeterministic

// EnvParks is set where the code of an ended client stays where it is. Elsewhere its
// operations fail, and of code that then panics in a goroutine of its own, the process ends.
const EnvParks = "LOCKSTEP_PARKS"

// Parks is the value of EnvParks.
var Parks = os.Getenv(EnvParks)

// Unprobed is the value where the code panics even in a schedule without faults.
const Unprobed = "unprobed"

// Careful, unless it is nil, is called before each observation, with its number and with what
// the strands are about to do; and with 0 before time passes.
var Careful func(n int, wants []sim.Want)

// Panics is the Did.Drew of code that panics.
const Panics = ^uint32(0)

// Parked counts the runs that stay for ever.
var Parked int

// New returns the code of the client with a name, which may be sim.Probe. The
// code does not run yet.
func New(config history.Config, subject Subject, name string) Code {
	subject = subject.In(config)
	if subject.Start != nil {
		return subject.Start(config, subject, name)
	}
	return newCoroutine(config, subject, name)
}
