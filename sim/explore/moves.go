package explore

import (
	"slices"

	"lockstep/sim"
	"lockstep/sim/history"
)

// phase says how far a thread's command is. A node whose process has begun anew
// since it left has broken the connection.
func (p *parts) phase(t threadState, what *sim.Pending, e *envState) phase {
	if (t.phase == onTheWay || t.phase == answered) && t.life != p.health(what.Node, e).Life {
		return cutShort
	}
	return t.phase
}

func (p *parts) health(node int, e *envState) sim.Health { return p.nodes.list[e.nodes[node]].Health }

// enabled says whether a thread can take a step, as World does.
func (p *parts) enabled(who int, c *clientState, id int, e *envState) bool {
	t, now := c.threads[id], e.now
	what := &p.learners[who].nodes[c.node].threads[id]
	switch {
	case what.Ended || id == 0 && c.hung:
		return false
	case what.Saw == sim.SawReply:
		at := p.phase(t, what, e)
		waits := at == lost || at == onTheWay && p.health(what.Node, e).Slow
		return !waits || t.until <= now
	case what.Saw == sim.SawNothing && what.Sleeps:
		return t.until <= now
	}
	return true
}

// due returns the next moment at which time matters to a client; 0 for never.
func (p *parts) due(who int, c *clientState, e *envState) (next history.Millis) {
	now := e.now
	for id, t := range c.threads {
		what := &p.learners[who].nodes[c.node].threads[id]
		waits := what.Saw == sim.SawNothing && what.Sleeps
		if what.Saw == sim.SawReply {
			at := p.phase(t, what, e)
			waits = at == onTheWay || at == lost
		}
		if waits && !what.Ended && !(id == 0 && c.hung) && t.until > now && (next == 0 || t.until < next) {
			next = t.until
		}
	}
	return next
}

// sooner returns the earlier of two moments, of which 0 is never.
func sooner(a, b history.Millis) history.Millis {
	if a == 0 || b > 0 && b < a {
		return b
	}
	return a
}

// lateOf says whether a request of the client is on its way without anybody who
// waits for it.
func (e *envState) lateOf(who int) bool {
	return slices.ContainsFunc(e.late, func(l lateRequest) bool { return l.client == who })
}

// begun says whether any code of the client has run.
func (c *clientState) begun() bool { return c.dead || c.done || c.node != 0 }

// steps lets each thread of a client that can take a step take it, each from
// the same state. If requests are slow, one that is on its way arrives by
// itself only.
func (p *parts) steps(who int, client, env int32, slow bool) ([]move, error) {
	c, e := p.clients[who].list[client], p.envs.list[env]
	var moves []move
	for id, t := range c.threads {
		if !p.enabled(who, c, id, e) || slow && e.now < t.until && p.waitsForNode(who, c, id, e) {
			continue
		}
		m, err := p.act(who, client, env, p.action(history.Action{Verb: history.Step, Client: p.names[who], Thread: id}))
		if err != nil {
			return nil, err
		}
		moves = append(moves, m)
	}
	return moves, nil
}

// waitsForNode says whether a thread's command is on its way.
func (p *parts) waitsForNode(who int, c *clientState, id int, e *envState) bool {
	what := &p.learners[who].nodes[c.node].threads[id]
	return what.Saw == sim.SawReply && p.phase(c.threads[id], what, e) == onTheWay
}

// faults lets everything go wrong with a client that can, each from the same
// state.
func (p *parts) faults(who int, client, env int32, kinds []history.Action) ([]move, error) {
	var moves []move
	for _, a := range p.possible(who, p.clients[who].list[client], p.envs.list[env], kinds) {
		m, err := p.act(who, client, env, p.action(a))
		if err != nil {
			return nil, err
		}
		moves = append(moves, m)
	}
	return moves, nil
}

// possible lists what may go wrong with a client.
func (p *parts) possible(who int, c *clientState, e *envState, kinds []history.Action) []history.Action {
	var actions []history.Action
	for _, f := range kinds {
		ofClient, ofNode := f.Verb.Concerns()
		if !ofClient || !ofNode && f.Node != "" {
			continue // concerns nodes only, or nobody in particular
		}
		f.Client = p.names[who]
		switch f.Verb {
		case history.Send, history.Arrive, history.LoseRequest, history.LoseReply:
			for id := range c.threads { // the dead and the done have none
				if p.messagePossible(f.Verb, who, c, id, e) {
					f.Thread = id
					actions = append(actions, f)
				}
			}
			continue
		case history.Cut, history.Heal:
			for i := range e.nodes {
				if !c.dead && !c.done && c.isCut(i) == (f.Verb == history.Heal) {
					f.Node = sim.NodeName(i)
					actions = append(actions, f)
				}
			}
			continue
		case history.Late:
			if !e.lateOf(who) {
				continue
			}
		case history.Hang:
			if c.dead || c.done || c.hung {
				continue
			}
		default:
			if c.dead {
				continue
			}
		}
		actions = append(actions, f)
	}
	return actions
}

// messagePossible says whether a part of sending a thread's command can
// happen, as World.Refusal does.
func (p *parts) messagePossible(v history.Verb, who int, c *clientState, id int, e *envState) bool {
	what := &p.learners[who].nodes[c.node].threads[id]
	if what.Ended || what.Saw != sim.SawReply || id == 0 && c.hung {
		return false
	}
	switch p.phase(c.threads[id], what, e) {
	case idle:
		return v == history.Send || p.reaches(v, who, c, what, e)
	case onTheWay:
		return v != history.Send && p.reaches(v, who, c, what, e)
	case answered:
		return v == history.LoseReply
	}
	return false
}

// reaches says whether a message gets to its node, and back in time.
func (p *parts) reaches(v history.Verb, who int, c *clientState, what *sim.Pending, e *envState) bool {
	n := p.nodes.list[e.nodes[what.Node]]
	return !c.isCut(what.Node) && !n.Down && !n.Broken(connName(p.names[who], what.Conn)) && (!n.Slow || v == history.LoseRequest)
}

func (c *clientState) isCut(node int) bool { return c.cut>>node&1 == 1 }
