package explore

import (
	"slices"

	"lockstep/sim"
)

// This file keeps what was learnt of an action by what it depends on. A step
// touches one node, or the resource, or only its client and the time: it does
// the same wherever these are the same, whatever the rest of the env is like.
// Which parts it touches nobody has to know: a State holds nodes and resource
// for its parties only, and they notice when they are asked about one.

// A footprint is a set of parts of an env: a bit for each node, and one for the
// resource. The time and the abandoned requests are not among them: Step sees
// these by itself, so that everything counts as depending on them.
type footprint uint16

func (p *parts) resourceBit() footprint { return 1 << p.subject.Nodes }

// A view is the envs that do not differ in some of their parts.
type views struct {
	of  footprint
	ids []int32 // by env; 0 is not looked up yet
}

// view returns the number of an env among those that differ in these parts.
func (p *parts) view(of footprint, env int32) int32 {
	i := slices.IndexFunc(p.views, func(v views) bool { return v.of == of })
	if i < 0 {
		i = len(p.views)
		p.views = append(p.views, views{of: of})
	}
	v := &p.views[i]
	if more := len(p.envs.list) - len(v.ids); more > 0 {
		v.ids = append(v.ids, make([]int32, more)...)
	}
	if v.ids[env] == 0 {
		p.key = p.envs.list[env].append(append(p.key[:0], byte(of), byte(of>>8)), of)
		v.ids[env] = p.viewed.id(p.key, func() struct{} { return struct{}{} }) + 1
	}
	return v.ids[env]
}

// A memo keeps the answers to questions about a client in some state.
type memo[T any] struct {
	questions []index[int32] // by client: a number by its state and what is asked
	touched   []footprint    // by question: what its answers have depended on so far
	known     index[int32]   // by question and view
	answers   []T
}

// find returns the number of a question, and the answer to it in an env if it
// is known.
func (m *memo[T]) find(p *parts, who int, client, env int32, what int16) (question int32, known *T) {
	of := &m.questions[who]
	if asked := of.get(client, int32(what)); asked != nil {
		question = *asked
	} else {
		question = int32(len(m.touched))
		m.touched = append(m.touched, 0)
		of.put(client, int32(what), question)
	}
	if n := m.known.get(question, p.view(m.touched[question], env)); n != nil {
		return question, &m.answers[*n]
	}
	return question, nil
}

// note keeps an answer that was found in an env, by what has been touched since
// the visit to it. If that is more than the answers before it depended on, they
// are forgotten: no view of theirs has all its parts.
func (m *memo[T]) note(p *parts, question, env int32, answer T) *T {
	m.touched[question] |= p.touched
	m.known.put(question, p.view(m.touched[question], env), int32(len(m.answers)))
	m.answers = append(m.answers, answer)
	return &m.answers[len(m.answers)-1]
}

// merged returns an env with these parts of another, and its time and its
// abandoned requests.
func (p *parts) merged(env, with int32, of footprint) int32 {
	e, from := *p.envs.list[env], p.envs.list[with]
	e.now, e.abandoned = from.now, from.abandoned
	e.nodes = append(p.refs[:0], e.nodes...)
	for i := range e.nodes {
		if of>>i&1 == 1 {
			e.nodes[i] = from.nodes[i]
		}
	}
	p.refs = e.nodes
	if of&p.resourceBit() != 0 {
		e.resource = from.resource
	}
	return p.intern(&e)
}

// visit returns a state in which one client, or none of them, stands in the
// world around it. It is good until the next visit.
func (p *parts) visit(who int, client, env int32) *sim.State {
	e := p.envs.list[env]
	s := &p.scratch
	clear(s.Clients)
	s.Now, s.Resource, s.Abandoned = e.now, e.resource, e.abandoned
	s.Nodes = append(s.Nodes[:0], e.nodes...)
	if who >= 0 {
		c := p.clients[who].list[client].ClientState
		p.strands = append(p.strands[:0], c.Strands...)
		c.Strands = p.strands
		s.Clients[who] = c
	}
	p.touched = 0
	return s
}
