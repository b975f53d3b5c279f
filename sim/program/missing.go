package program

import (
	"slices"

	"lockstep/sim"
)

// Missing are the commands of an operation whose replies did not come: lost, late, or
// not waited for. Whether an operation knows what it has done is known by them, whatever
// it says.
type Missing []unanswered

type unanswered struct {
	node    int
	command string
}

// Note notes what came of a command. A reply to the next one of its name at the same
// node makes up for it.
func (m *Missing) Note(node int, units []sim.Unit, came sim.Saw) {
	is := unanswered{node, LabelOf(units)}
	*m = slices.DeleteFunc(*m, func(o unanswered) bool { return o == is })
	if came != sim.SawReply {
		*m = append(*m, is)
	}
}

// nodes counts the nodes whose replies did not come.
func (m Missing) nodes() int {
	nodes := map[int]bool{}
	for _, u := range m {
		nodes[u.node] = true
	}
	return len(nodes)
}
