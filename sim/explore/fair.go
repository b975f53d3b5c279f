package explore

import (
	"slices"

	"lockstep/sim/history"
)

// A future is what becomes of a world on its way to recovery: somebody
// acquires at a moment, or nobody does before it.
type future struct {
	acquires bool
	at       history.Millis
}

// never is later than any moment.
const never = history.Millis(1 << 62)

// A fairModel is a world on its way to recovery, by what is known of its parts.
type fairModel struct {
	*orphanFinder
	clients []int32 // the last is the probe
	env     int32
	path    []string // where it has been
	met     *future  // what is known of where it has come to
	horizon history.Millis
}

// remember notes the future of everywhere the run has been.
func (m *fairModel) remember(acquires bool) {
	end := future{acquires, m.Now()}
	switch {
	case m.met != nil:
		end = *m.met
	case !acquires && m.Now() <= m.horizon: // time would change nothing any more
		end.at = never
	}
	for _, key := range m.path {
		m.futures[key] = end
	}
}

// Foreseen is sim.Fair's.
func (m *fairModel) Foreseen(horizon history.Millis) (acquires, known bool) {
	key := keyOf(append(m.clients, m.env))
	m.horizon = horizon
	end, known := m.futures[key]
	if known && (end.acquires || end.at > horizon) {
		m.met = &end
		return end.acquires && end.at <= horizon, true
	}
	m.path = append(m.path, key)
	return false, false
}

func (m *fairModel) Now() history.Millis { return m.envs.list[m.env].now }

// Round is sim.Fair's.
func (m *fairModel) Round() (steps int, acquired bool, err error) {
	for who := range m.clients {
		for late := (history.Action{Verb: history.Late, Client: m.names[who]}); m.can(who, late); {
			if acquired, err = m.take(who, late, acquired); err != nil {
				return 0, false, err
			}
		}
		for id := 0; id < len(m.state(who).Strands); id++ {
			step := history.Action{Verb: history.Step, Client: m.names[who], Thread: id}
			if !m.can(who, step) {
				continue
			}
			steps++
			if acquired, err = m.take(who, step, acquired); err != nil {
				return 0, false, err
			}
		}
	}
	return steps, acquired, nil
}

func (m *fairModel) state(who int) *clientState {
	return m.parts.clients[who].list[m.clients[who]]
}

// can says whether a client can take an action.
func (m *fairModel) can(who int, a history.Action) bool {
	s := m.with(who, m.clients[who], m.env)
	return s.Refusal(a, &m.parties).No()
}

// take performs an action and says whether anybody has acquired so far.
func (m *fairModel) take(who int, a history.Action, acquired bool) (bool, error) {
	to, err := m.act(who, m.clients[who], m.env, m.action(a))
	if err != nil {
		return false, err
	}
	m.clients[who], m.env = to.client, to.env
	yes, known := m.acquires[to.events]
	if !known {
		yes = slices.ContainsFunc(m.lists.list[to.events], history.Event.Acquires)
		m.acquires[to.events] = yes
	}
	return acquired || yes, nil
}

// Idle is sim.Fair's.
func (m *fairModel) Idle() bool {
	for who := range m.clients {
		for id := range m.state(who).Strands {
			if m.can(who, history.Action{Verb: history.Step, Client: m.names[who], Thread: id}) {
				return false
			}
		}
	}
	return true
}

// Next is sim.Fair's.
func (m *fairModel) Next() (at history.Millis, ok bool) {
	at = m.outlooks[m.env].expiry
	for who := range m.clients {
		at = sooner(at, m.due(who, m.clients[who], m.env))
	}
	return at, at > 0
}

// Pass is sim.Fair's.
func (m *fairModel) Pass(to history.Millis) error {
	passed, err := m.happen(m.env, cause{to: to})
	m.env = passed.env
	return err
}
