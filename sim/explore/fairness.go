package explore

import (
	"slices"

	"lockstep/sim/history"
	"lockstep/sim/model"
)

// A future is what happens to a world on its way to recovery: a client acquires
// at a moment, or none does before it.
type future struct {
	acquires bool
	at       history.Millis
}

// never is later than any moment.
const never = history.Millis(1 << 62)

// A fairRun is a world on its way to recovery, in a model.
type fairRun struct {
	*orphanFinder
	clients []int32 // the last is the probe
	env     int32
	path    []string // the states so far
	met     *future  // the known future of its state
	horizon history.Millis
}

// remember records the future of all states of the run.
func (m *fairRun) remember(acquires bool) {
	end := future{acquires, m.Now()}
	switch {
	case m.met != nil:
		end = *m.met
	case !acquires && m.Now() <= m.horizon: // time would change nothing more
		end.at = never
	}
	for _, key := range m.path {
		m.futures[key] = end
	}
}

// Foreseen is sim.Fair's.
func (m *fairRun) Foreseen(horizon history.Millis) (acquires, known bool) {
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

func (m *fairRun) Now() history.Millis { return m.Model.Now(m.env) }

// Round is sim.Fair's.
func (m *fairRun) Round() (steps int, acquired bool, err error) {
	for who := range m.clients {
		late := m.Number(history.Action{Verb: history.Late, Client: m.Names[who]})
		for {
			late, err := m.take(who, late, &acquired)
			if err != nil {
				return 0, false, err
			}
			if !late {
				break
			}
		}
		for id := 0; id < len(m.Client(who, m.clients[who]).Strands); id++ {
			stepped, err := m.take(who, m.StepOf(who, id), &acquired)
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

// take performs an action if it is enabled, and reports whether it was. It sets
// acquired if a client acquires.
func (m *fairRun) take(who int, action int16, acquired *bool) (bool, error) {
	to, ok, err := m.Act(who, m.clients[who], m.env, action)
	if !ok || err != nil {
		return false, err
	}
	m.clients[who], m.env = to.Client, to.Env
	yes, known := m.acquires[to.Events]
	if !known {
		yes = slices.ContainsFunc(m.Events(to.Events), history.Event.Acquires)
		m.acquires[to.Events] = yes
	}
	*acquired = *acquired || yes
	return true, nil
}

// Idle is sim.Fair's.
func (m *fairRun) Idle() bool {
	for who := range m.clients {
		if m.CanStep(who, m.clients[who], m.env) {
			return false
		}
	}
	return true
}

// Next is sim.Fair's.
func (m *fairRun) Next() (at history.Millis, ok bool) {
	at = m.NextExpiry(m.env)
	for who := range m.clients {
		at = model.Sooner(at, m.Due(who, m.clients[who], m.env))
	}
	return at, at > 0
}

// Pass is sim.Fair's.
func (m *fairRun) Pass(to history.Millis) error {
	passed, err := m.Happen(m.env, model.EnvAction{To: to})
	m.env = passed.Env
	return err
}
