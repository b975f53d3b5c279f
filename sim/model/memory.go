package model

// What is learnt takes about so many bytes each, keys and maps included. They
// were measured, over locks that learn much and locks that learn little.
const (
	bytesPerNode    = 1600 // of what a client has observed
	bytesPerClient  = 400  // state of a client
	bytesPerEnv     = 1000 // state of the world around the clients
	bytesPerMonitor = 2000
	bytesPerEffect  = 64
	bytesPerRun     = 1500 // of a real miniredis
)

// Bytes estimates how much memory takes what is learnt. It counts and does not
// measure: what a limit ends, it ends at the same place on every machine.
func (m *Model) Bytes() int {
	n := bytesPerEnv*len(m.envs.list) + bytesPerMonitor*len(m.monitors.list) +
		bytesPerEffect*len(m.effects.answers) + bytesPerRun*len(m.executed)
	for who, l := range m.learners {
		n += bytesPerNode*len(l.nodes) + bytesPerClient*len(m.clients[who].list)
	}
	return n
}
