package remote

import (
	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/program"
)

// A question concerns one client, unless it is forLock or
// forReads.
type question struct {
	Client int
	Begin  *begin             // for a client that the process does not have
	Told   []program.Observed // the observations since the last question
	Walk   []program.Stride   // those that follow, if it is forWalk
	Ask    ask
	Since  int // see program.Code
	// Careful asks for marks, as the process may end by a panic.
	Careful bool
	tries   int // how often it did, and not where it was to
}

// A mark is what a process was about to do: the observation, from 1, and the wants of the
// strands before it; or 0 if time was to pass.
type mark struct {
	Observation int
	Wants       []sim.Want
}

type begin struct {
	Config history.Config
	TTL    map[string]history.Millis
	Name   string
	Show   bool
}

// An ask is a kind of question. Its number has one meaning in all versions: 2 and 3 are used up.
type ask int

const (
	forWants  ask = 0
	forEvents ask = 1 // the events of the last observation, and wants
	forEnd    ask = 4 // end the client, without an answer
	forLock   ask = 5 // whether there is a lock; concerns no client
	forReads  ask = 6 // write what was read to the log; concerns no client
	forWalk   ask = 7 // how far the client walks, and what it does there; see program.Code
)

type answer struct {
	program.Did
	Gone   int // of forWalk
	Traits program.Traits
	Stuck  *program.Stuck
	Wrong  string // any other error
	Odd    bool   // the code keeps something from one run to the next
	Full   bool   // so much code stays that the process has to end
}
