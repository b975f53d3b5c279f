package model

import (
	"lockstep/internal/lang"
	"lockstep/sim"
	"lockstep/sim/history"
)

// This file calls sim.State.Step once for each client and env. A client's
// action changes only that client and the env; time and node faults change only
// the env. So Step gets a state without the other clients, and its result is
// stored.

// An Effect is the result of an action: the numbers of the client, the env and
// the events after it. Client is not set for time and node faults.
type Effect struct {
	Client, Env, Events int32
	Action              int16
	way                 int32 // that its code took, from 1; 0 for none
}

// Values of Effect.Env that are not the number of an env.
const (
	impossible = -1 // the action is not enabled
	unchanged  = -2 // the env does not change
)

// Possible reports whether the action is enabled.
func (e *Effect) Possible() bool { return e.Env != impossible }

// Act performs an action of a client. ok reports whether it is enabled.
func (m *Model) Act(who int, client, env int32, action int16) (e Effect, ok bool, err error) {
	question, known := m.effects.find(m, who, client, env, action)
	if known == nil {
		learned, err := m.ask(who, client, env, action)
		if err != nil {
			return Effect{}, false, err
		}
		known = m.effects.note(m, question, env, learned)
	}
	if !known.Possible() {
		return Effect{}, false, nil
	}
	e = *known
	if e.Env == unchanged {
		e.Env = env
	} else {
		e.Env = m.merged(env, e.Env, m.effects.touched[question])
	}
	return e, true, nil
}

// ask computes what an action of a client does.
func (m *Model) ask(who int, client, env int32, action int16) (Effect, error) {
	s, a := m.visit(who, client, env), m.actions.list[action]
	switch why := s.Refusal(a, &m.parties); {
	case why.Err() != nil:
		return Effect{}, lang.Errorf("explore: %s: %w", a, why.Err())
	case !why.No():
		return Effect{Env: impossible, Action: action}, nil
	}
	m.learners[who].took = noWay
	events, err := m.step(s, a)
	if err != nil {
		return Effect{}, err
	}
	e := Effect{Client: m.client(who, s.Clients[who]), Env: m.env(*s), Events: events, Action: action, way: m.learners[who].took + 1}
	if e.Env == env {
		e.Env = unchanged
	}
	return e, nil
}

// actAll performs the enabled ones among m.asked, each from the same state.
func (m *Model) actAll(who int, client, env int32) ([]Effect, error) {
	effects := m.answers[:0]
	for _, action := range m.asked {
		e, ok, err := m.Act(who, client, env, action)
		if ok {
			effects, err = m.appendDraws(effects, who, client, env, e)
		}
		if err != nil {
			return nil, err
		}
	}
	m.answers = effects
	return effects, nil
}

// step performs an action and returns the number of its events.
func (m *Model) step(s *sim.State, a history.Action) (events int32, err error) {
	m.emitted = m.emitted[:0]
	if err := s.Step(a, &m.parties); err != nil {
		return 0, err
	}
	return m.events(m.emitted), nil
}

// An envMemo is what is learned about an env.
type envMemo struct {
	expiry  history.Millis // when the next key expires; 0 for never
	effects []envEffect    // by action, as far as computed
}

type envEffect struct {
	EnvAction
	Effect
}

// An EnvAction happens to an env: time passes to To, or if that is 0, a node
// fault.
type EnvAction struct {
	To    history.Millis
	Fault int16 // the number of the action
}

// Happen performs an EnvAction.
func (m *Model) Happen(env int32, a EnvAction) (Effect, error) {
	for _, known := range m.byEnv[env].effects {
		if known.EnvAction == a {
			return known.Effect, nil
		}
	}
	s := m.bare(env)
	action := m.actions.list[a.Fault]
	if a.To > 0 {
		action = history.Action{Verb: history.Advance, By: a.To - s.Now}
	}
	e := Effect{Env: impossible}
	why := s.Refusal(action, &m.parties)
	if err := why.Err(); err != nil {
		return e, lang.Errorf("explore: %w", err)
	}
	if why.No() {
		var err error
		if e.Events, err = m.step(&s, action); err != nil {
			return e, err
		}
		e.Env = m.env(s)
	}
	m.byEnv[env].effects = append(m.byEnv[env].effects, envEffect{a, e})
	return e, nil
}

// bare returns a state without clients, valid until the next visit.
func (m *Model) bare(env int32) sim.State {
	s := *m.visit(AnEnv, 0, env)
	s.Clients = nil
	return s
}
