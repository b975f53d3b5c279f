package explore

// What is learnt takes about so many bytes each, keys and maps included. They
// were measured, over locks that learn much and locks that learn little.
const (
	bytesPerNode    = 1600 // of what a client has observed
	bytesPerClient  = 400  // state of a client
	bytesPerEnv     = 1000 // state of the world around the clients
	bytesPerMonitor = 2000
	bytesPerAct     = 64
	bytesPerRun     = 1500 // of a real miniredis
	bytesPerEnd     = 24
	bytesPerAnswer  = 150 // whether the lock recovers from a state, or what a world on the way there comes to
)

// bytes estimates how much memory takes what is learnt. It counts and does not
// measure: what a limit ends, it ends at the same place on every machine.
func (p *parts) bytes() int {
	n := bytesPerEnv*len(p.envs.list) + bytesPerMonitor*len(p.monitors.list) +
		bytesPerAct*len(p.deeds.answers) + bytesPerRun*len(p.executed)
	for who, l := range p.learners {
		n += bytesPerNode*len(l.nodes) + bytesPerClient*len(p.clients[who].list)
	}
	return n
}

// bytes estimates how much memory the search takes.
func (e *search) bytes() int { return e.parts.bytes() + e.states.bytes() + bytesPerEnd*len(e.ends) }

// full says whether the search takes more memory than it may.
func (e *search) full() bool { return e.bounds.Memory > 0 && e.bytes() > e.bounds.Memory }

// overfull says whether it does so with what is asked of its states afterwards,
// which may take half as much again: a search that was full still tells what
// can be told of what it has found.
func (e *search) overfull(more int) bool {
	return e.bounds.Memory > 0 && e.bytes()+more > e.bounds.Memory+e.bounds.Memory/2
}
