package explore

import (
	"slices"

	"lockstep/sim"
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
		for m.envs.list[m.env].lateOf(who) {
			if acquired, err = m.take(who, history.Action{Verb: history.Late, Client: m.names[who]}, acquired); err != nil {
				return 0, false, err
			}
		}
		for id := 0; id < len(m.state(who).threads); id++ {
			if !m.enabled(who, m.state(who), id, m.envs.list[m.env]) {
				continue
			}
			steps++
			if acquired, err = m.take(who, history.Action{Verb: history.Step, Client: m.names[who], Thread: id}, acquired); err != nil {
				return 0, false, err
			}
		}
	}
	return steps, acquired, nil
}

func (m *fairModel) state(who int) *clientState {
	return m.parts.clients[who].list[m.clients[who]]
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
		c := m.state(who)
		for id := range c.threads {
			if m.enabled(who, c, id, m.envs.list[m.env]) {
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
		at = sooner(at, m.due(who, m.state(who), m.envs.list[m.env]))
	}
	return at, at > 0
}

// Pass is sim.Fair's.
func (m *fairModel) Pass(to history.Millis) error {
	if to > history.MaxTime {
		return sim.ErrEndOfTime
	}
	m.env = m.happen(m.env, cause{to: to}).env
	return nil
}
