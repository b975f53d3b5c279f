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
		late := m.action(history.Action{Verb: history.Late, Client: m.names[who]})
		for {
			late, err := m.take(who, late, &acquired)
			if err != nil {
				return 0, false, err
			}
			if !late {
				break
			}
		}
		for id := 0; id < len(m.state(who).Strands); id++ {
			stepped, err := m.take(who, m.stepOf(who, id), &acquired)
			if err != nil {
				return 0, false, err
			}
			if stepped {
				steps++
			}
		}
	}
	return steps, acquired, nil
}

func (m *fairModel) state(who int) *clientState {
	return m.parts.clients[who].list[m.clients[who]]
}

// take performs an action if it can happen, says whether it could, and notes
// whether somebody has acquired by it.
func (m *fairModel) take(who int, action int16, acquired *bool) (bool, error) {
	to, ok, err := m.act(who, m.clients[who], m.env, action)
	if !ok || err != nil {
		return false, err
	}
	m.clients[who], m.env = to.client, to.env
	yes, known := m.acquires[to.events]
	if !known {
		yes = slices.ContainsFunc(m.lists.list[to.events], history.Event.Acquires)
		m.acquires[to.events] = yes
	}
	*acquired = *acquired || yes
	return true, nil
}

// Idle is sim.Fair's.
func (m *fairModel) Idle() bool {
	for who := range m.clients {
		if len(m.stand(who, m.clients[who], m.env).steps) > 0 {
			return false
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
