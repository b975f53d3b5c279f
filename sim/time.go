package sim

import (
	"lockstep/internal/lang"
	"lockstep/sim/history"
)

// advance moves time by the action's length.
func advance(m *attempt) error { return m.pass(m.Now + m.action.By) }

// tick moves time to the next deadline.
func tick(m *attempt) error {
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
			at, did, err := m.Servers[i].Pass(m.Nodes[i], m.Now)
			if err != nil {
				return err
			}
			m.Nodes[i] = at
			if len(did.Changes) > 0 {
				m.Emit(history.Event{Kind: history.Expire, Node: history.NodeName(i), Changes: did.Changes})
			}
			m.sent(i, did)
		}
	}
	return nil
}

// NextExpiry returns when the next key expires.
func (s *State) NextExpiry(p *Parties) (next history.Millis, ok bool) {
	for i, at := range s.Nodes {
		if at, expires := p.Servers[i].View(at).NextExpiry(); expires && (!ok || at < next) {
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

// ErrEndOfTime is the error for a time or a clock beyond history.MaxTime.
var ErrEndOfTime = lang.Errorf("time would pass its end")

// endOfTime refuses a moment beyond history.MaxTime.
func (m *attempt) endOfTime(to history.Millis) Refusal {
	if to > history.MaxTime {
		return tooLate("it ends at %v", history.MaxTime)
	}
	for i := range m.Clients {
		if c := &m.Clients[i]; !c.Dead && !near(c.Clock.deviation(to)) {
			return strays(m.Names[i])
		}
	}
	for i := range m.Nodes {
		if !near(m.health(i).Clock.deviation(to)) {
			return strays(history.NodeName(i))
		}
	}
	return Refusal{}
}

// jumpEnds refuses a jump that would move a clock too far from the world's time.
func jumpEnds(whose string, ahead, by history.Millis) Refusal {
	if by < -history.MaxTime-ahead || by > history.MaxTime-ahead {
		return strays(whose)
	}
	return Refusal{}
}

func near(ahead history.Millis) bool { return -history.MaxTime <= ahead && ahead <= history.MaxTime }

func strays(whose string) Refusal {
	return tooLate("the clock of %s would be more than %v from the world's", whose, history.MaxTime)
}

func tooLate(format string, args ...any) Refusal {
	err := lang.Errorf("%w: %v", ErrEndOfTime, lang.New(format, args...))
	return Refusal{lang.New("%v", err), err}
}

// Err is an error that wraps ErrEndOfTime if the refusal ends the run; nil if
// the action is only impossible now.
func (r Refusal) Err() error { return r.end }
