package sim

import "lockstep/sim/history"

// This file has the accessors of a strand.

// TextOf describes in full what the strand is about to do.
func (s *State) TextOf(client, strand int, p *Parties) string {
	m := attempt{State: s, Parties: p, client: client}
	return m.text(&m.wants()[strand])
}

// PhaseOf returns how far its command is, if it is sending one.
func (s *State) PhaseOf(client, strand int, p *Parties) Phase {
	m := attempt{State: s, Parties: p, client: client}
	return m.phase(&s.Clients[client].Strands[strand], &m.wants()[strand])
}

// Waits reports whether its command is in transit and has not timed out.
func (s *State) Waits(client, strand int, p *Parties) bool {
	m := attempt{State: s, Parties: p, client: client}
	t, w := &s.Clients[client].Strands[strand], &m.wants()[strand]
	return s.Now < t.Until && w.Saw == SawReply && m.phase(t, w) == OnTheWay
}

// DueOf returns when it can go on, if it waits for time; a hung strand does not.
func (s *State) DueOf(client, strand int, p *Parties) (at history.Millis, waits bool) {
	c := &s.Clients[client]
	if strand == 0 && c.Hung {
		return 0, false
	}
	m := attempt{State: s, Parties: p, client: client}
	if at, waits = m.due(&c.Strands[strand], &m.wants()[strand]); !waits {
		return 0, false
	}
	return at, true
}

// DeadlineOf returns the next moment at which time matters to a client.
func (s *State) DeadlineOf(client int, p *Parties) (next history.Millis, ok bool) {
	c := &s.Clients[client]
	if c.Dead || c.Done {
		return 0, false
	}
	for id := range c.Strands {
		if at, waits := s.DueOf(client, id, p); waits && at > s.Now && (!ok || at < next) {
			next, ok = at, true
		}
	}
	return next, ok
}
