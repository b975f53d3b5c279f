package remote

import (
	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/program"
)

// A question concerns one client, unless it is forLock.
type question struct {
	Client int
	Begin  *begin     // for a client that the process does not have
	Told   []observed // the observations since the last question
	Ask    ask
	Since  int // see program.Code
}

type begin struct {
	Config history.Config
	TTL    map[string]history.Millis
	Name   string
	Show   bool
}

// An observed is one observation of a strand.
type observed struct {
	Strand int
	sim.Observation
}

type ask int

const (
	forWants  ask = iota
	forEvents     // the events of the last observation, and wants
	forEnd        // end the client, without an answer
	forLock       // whether there is a lock; concerns no client
)

type answer struct {
	Events []history.Event
	Wants  []sim.Want
	Draws  bool // see program.Subject
	Stuck  *program.Stuck
	Wrong  string // any other error
}
