package sim

import "lockstep/sim/history"

// advance moves time by the action's length.
func (m *attempt) advance() error { return m.pass(m.Now + m.action.By) }

// tick moves time to the next deadline.
func (m *attempt) tick() error {
	next, _ := m.nextDeadline()
	return m.pass(next)
}

// pass moves time and stops at each key that expires.
func (m *attempt) pass(to history.Millis) error {
	for m.Now < to {
		next := to
		if at, ok := m.NextExpiry(m.Parties); ok && at < to {
			next = at
		}
		by := next - m.Now
		m.Now = next
		m.Emit(history.Event{Kind: history.Clock, By: by})
		for i := range m.Nodes {
			at, changes, err := m.Servers[i].Pass(m.Nodes[i], m.Now)
			if err != nil {
				return err
			}
			m.Nodes[i] = at
			if len(changes) > 0 {
				m.Emit(history.Event{Kind: history.Expire, Node: NodeName(i), Changes: changes})
			}
		}
	}
	return nil
}

// NextExpiry returns when the next key expires.
func (s *State) NextExpiry(p *Parties) (next history.Millis, ok bool) {
	for i, at := range s.Nodes {
		if at, expires := p.Servers[i].NextExpiry(at); expires && (!ok || at < next) {
			next, ok = at, true
		}
	}
	return next, ok
}

// NextDeadline returns the next moment at which time alone changes something: a
// key expires, a sleeper wakes, a client times out.
func (s *State) NextDeadline(p *Parties) (next history.Millis, ok bool) {
	m := s.attempt(history.Action{}, p)
	return m.nextDeadline()
}

func (m *attempt) nextDeadline() (next history.Millis, ok bool) {
	next, ok = m.NextExpiry(m.Parties)
	if ok && next <= m.Now {
		ok = false
	}
	for client := range m.Clients {
		if at, waits := m.State.DeadlineOf(client, m.Parties); waits && (!ok || at < next) {
			next, ok = at, true
		}
	}
	return next, ok
}
