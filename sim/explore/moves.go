package explore

import (
	"slices"

	"lockstep/sim"
	"lockstep/sim/history"
)

// enabled says whether a thread can take a step, as World does.
func (p *parts) enabled(who int, c *clientState, id int, now history.Millis) bool {
	t := c.threads[id]
	what := &p.learners[who].nodes[c.node].threads[id]
	switch {
	case what.Ended || id == 0 && c.hung:
		return false
	case what.Saw == sim.SawReply && t.phase == lost:
		return t.until <= now
	case what.Saw == sim.SawNothing && what.Sleeps:
		return t.until <= now
	}
	return true
}

// due returns the next moment at which time matters to a client; 0 for never.
func (p *parts) due(who int, c *clientState, now history.Millis) (next history.Millis) {
	for id, t := range c.threads {
		what := &p.learners[who].nodes[c.node].threads[id]
		waits := what.Saw == sim.SawNothing && what.Sleeps || what.Saw == sim.SawReply && (t.phase == onTheWay || t.phase == lost)
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
	c, now := p.clients[who].list[client], p.envs.list[env].now
	var moves []move
	for id, t := range c.threads {
		if !p.enabled(who, c, id, now) || slow && t.phase == onTheWay && now < t.until {
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

// faults lets everything go wrong with a client that can, each from the same
// state.
func (p *parts) faults(who int, client, env int32, kinds []history.Action) ([]move, error) {
	var moves []move
	for _, a := range p.possible(who, p.clients[who].list[client], p.envs.list[env].lateOf(who), kinds) {
		m, err := p.act(who, client, env, p.action(a))
		if err != nil {
			return nil, err
		}
		moves = append(moves, m)
	}
	return moves, nil
}

// possible lists what may go wrong with a client.
func (p *parts) possible(who int, c *clientState, late bool, kinds []history.Action) []history.Action {
	var actions []history.Action
	for _, f := range kinds {
		f.Client = p.names[who]
		switch f.Verb {
		case history.Send, history.Arrive, history.LoseRequest, history.LoseReply:
			for id, t := range c.threads { // the dead and the done have none
				what := &p.learners[who].nodes[c.node].threads[id]
				if what.Ended || what.Saw != sim.SawReply || id == 0 && c.hung || !messagePossible(f.Verb, t.phase) {
					continue
				}
				f.Thread = id
				actions = append(actions, f)
			}
			continue
		case history.Late:
			if !late {
				continue
			}
		case history.Flush:
			continue // concerns nobody in particular
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

func messagePossible(v history.Verb, p phase) bool {
	switch p {
	case idle:
		return true
	case onTheWay:
		return v != history.Send
	case answered:
		return v == history.LoseReply
	}
	return false
}
