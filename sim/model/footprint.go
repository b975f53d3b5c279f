package model

import (
	"slices"

	"lockstep/sim"
	"lockstep/sim/internal/pairs"
)

// This file stores the effects of an action by the parts that they depend on. A
// step touches one node, or the resource, or only its client and the time. It
// does the same wherever these parts are equal. The parts need not be declared:
// a State asks its parties about nodes and resource, and the parties record
// that.

// A footprint is a set of parts of an env: a bit for each node, and one for the
// resource. Time and abandoned requests are not included: Step reads them
// directly, so that all effects depend on them.
type footprint uint16

func (m *Model) resourceBit() footprint { return 1 << m.Subject.Nodes }

// Views number the envs by some of their parts: envs that are equal in these
// have the same number.
type views struct {
	of  footprint
	ids []int32 // by env; 0 for not looked up yet
}

// view returns the number of an env among those that differ in the parts.
func (m *Model) view(of footprint, env int32) int32 {
	i := slices.IndexFunc(m.views, func(v views) bool { return v.of == of })
	if i < 0 {
		i = len(m.views)
		m.views = append(m.views, views{of: of})
	}
	v := &m.views[i]
	if more := len(m.envs.list) - len(v.ids); more > 0 {
		v.ids = append(v.ids, make([]int32, more)...)
	}
	if v.ids[env] == 0 {
		m.key = m.envs.list[env].append(append(m.key[:0], byte(of), byte(of>>8)), of)
		v.ids[env] = m.viewed.id(m.key, func() struct{} { return struct{}{} }) + 1
	}
	return v.ids[env]
}

// merged returns env with the parts, the time and the abandoned requests of
// another.
func (m *Model) merged(env, with int32, of footprint) int32 {
	e, from := *m.envs.list[env], m.envs.list[with]
	e.now, e.abandoned = from.now, from.abandoned
	e.nodes = append(m.refs[:0], e.nodes...)
	for i := range e.nodes {
		if of>>i&1 == 1 {
			e.nodes[i] = from.nodes[i]
		}
	}
	m.refs = e.nodes
	if of&m.resourceBit() != 0 {
		e.resource = from.resource
	}
	return m.intern(&e)
}

// visit returns a state of one client, or of none if who is AnEnv, and an env.
// It is valid until the next visit.
func (m *Model) visit(who int, client, env int32) *sim.State {
	e := m.envs.list[env]
	s := &m.scratch
	clear(s.Clients)
	s.Now, s.Resource, s.Abandoned = e.now, e.resource, e.abandoned
	s.Nodes = append(s.Nodes[:0], e.nodes...)
	if who != AnEnv {
		c := m.clients[who].list[client].ClientState
		m.strands = append(m.strands[:0], c.Strands...)
		c.Strands = m.strands
		s.Clients[who] = c
	}
	m.touched = 0
	return s
}

// A memo stores the answers to questions about a client in a state.
type memo[T any] struct {
	questions []pairs.Map[int32] // by client: a question's number by state and action
	touched   []footprint        // by question: what its answers have depended on
	known     pairs.Map[T]       // by question and view
}

// find returns the number of a question, and its answer in an env, or nil if
// that is unknown.
func (a *memo[T]) find(m *Model, who int, client, env int32, what int16) (int32, *T) {
	numbers := &a.questions[who]
	asked := numbers.Get(client, int32(what))
	if asked == nil {
		asked = numbers.Put(client, int32(what), int32(len(a.touched)))
		a.touched = append(a.touched, 0)
	}
	return *asked, a.known.Get(*asked, m.view(a.touched[*asked], env))
}

// note stores an answer for an env, by the parts touched since the visit. If
// these are more than earlier answers depended on, the earlier answers are
// dropped: no view with all these parts leads to them.
func (a *memo[T]) note(m *Model, question, env int32, answer T) *T {
	a.touched[question] |= m.touched
	return a.known.Put(question, m.view(a.touched[question], env), answer)
}
