package sim

import (
	"slices"

	"lockstep/sim/history"
)

// This file is about clients that are goroutines of one process; see
// history.Shared. The process has the name of the first. Its strand 0 is the
// program of the first, strand 1 the timer, the next ones are the programs of the
// others, and the rest are goroutines that the code has started. Actions and events
// name the programs as those of other clients: B is a strand of the process A.

// OfStrand returns the action that concerns a strand of a process.
func (p *Parties) OfStrand(v history.Verb, process, strand int) history.Action {
	a := history.Action{Verb: v, Client: p.Names[process], Strand: strand}
	if i := strand - 1; process == 0 && i > 0 && i < p.goroutines() {
		a.Client, a.Strand = p.Config.Clients[i], 0
	}
	return a
}

// Strand returns the strand, of its process, that an action concerns.
func (p *Parties) Strand(a history.Action) int {
	if i := p.goroutine(a.Client); i > 0 && a.Strand == 0 {
		return i + 1
	}
	return a.Strand
}

// Process returns the index of the process that a client is, or is a goroutine of; -1
// if there is no such client.
func (p *Parties) Process(client string) int {
	if p.goroutine(client) > 0 {
		return 0
	}
	return slices.Index(p.Names, client)
}

// goroutine returns which goroutine of its process a client is; 0 for the first one,
// and for a process.
func (p *Parties) goroutine(client string) int {
	return max(0, slices.Index(p.Config.Clients[:p.goroutines()], client))
}

// goroutines returns how many clients are goroutines of one process.
func (p *Parties) goroutines() int {
	if p.Config.Process == history.Shared {
		return len(p.Config.Clients)
	}
	return 0
}

// members are the clients that end with a process.
func (m *attempt) members() []string {
	if m.client == 0 && m.goroutines() > 0 {
		return m.Config.Clients
	}
	return m.Names[m.client : m.client+1]
}

// by completes an event of a strand, which does what a want says; nil for all of the
// process.
func (m *attempt) by(strand int, w *Want, e history.Event) history.Event {
	e.Strand = m.OfStrand(history.Step, m.client, strand).Strand
	switch {
	case e.Client != "": // the code said which of its goroutines it is
	case w != nil && w.Of > 0:
		e.Client = m.Config.Clients[w.Of-1]
	default:
		e.Client = m.Names[m.client]
	}
	return e
}
