package remote

import (
	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/program"
)

// A question is about one client.
type question struct {
	Client int
	Begin  *begin // of a client that the process has not heard of
	Told   []told // since the last question
	Ask    ask
	Since  int // see program.Code
}

type begin struct {
	Config history.Config
	TTL    map[string]history.Millis
	Name   string
	Show   bool
}

// A told is one thing that was observed.
type told struct {
	Strand int
	sim.Observation
}

type ask int

const (
	forWants  ask = iota
	forEvents     // that the last thing told leads to, and wants
	forEnd        // of the client: no answer
	forLock       // whether there is one; about no client
)

type answer struct {
	Events []history.Event
	Wants  []sim.Want
	Draws  bool // see program.Subject
	Stuck  *program.Stuck
	Wrong  string // another error
}
