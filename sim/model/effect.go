package model

import (
	"lockstep/internal/lang"
	"lockstep/sim"
	"lockstep/sim/history"
)

// This file asks what sim.State.Step does, once for each client and the env
// around it. An action of a client touches that client and what all share; time
// and what befalls nodes touch only what all share. So Step is asked of a state
// in which the other clients stand still, and what it answers is looked up from
// then on.

// An Effect is what an action comes to, in numbers: what its client and the env
// are in afterwards, and what happened. Time and faults of nodes have no client,
// and their number is left to whoever asks.
type Effect struct {
	Client, Env, Events int32
	Action              int16
}

// What stands in the place of an env in what is kept.
const (
	impossible = -1 // the action cannot happen
	unchanged  = -2 // the env stays as it is
)

// Possible says whether the action can happen.
func (e *Effect) Possible() bool { return e.Env != impossible }

// Act performs an action of one client, and says whether it can happen.
func (m *Model) Act(who int, client, env int32, action int16) (e Effect, ok bool, err error) {
	question, known := m.effects.find(m, who, client, env, action)
	if known == nil {
		learnt, err := m.ask(who, client, env, action)
		if err != nil {
			return Effect{}, false, err
		}
		known = m.effects.note(m, question, env, learnt)
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

// ask asks what an action of a client does.
func (m *Model) ask(who int, client, env int32, action int16) (Effect, error) {
	s, a := m.visit(who, client, env), m.actions.list[action]
	switch why := s.Refusal(a, &m.parties); {
	case why.Err() != nil:
		return Effect{}, lang.Errorf("explore: %s: %w", a, why.Err())
	case !why.No():
		return Effect{Env: impossible, Action: action}, nil
	}
	events, err := m.step(s, a)
	if err != nil {
		return Effect{}, err
	}
	e := Effect{Client: m.client(who, s.Clients[who]), Env: m.env(*s), Events: events, Action: action}
	if e.Env == env {
		e.Env = unchanged
	}
	return e, nil
}

// actAll performs those of the asked actions of a client that can happen, each
// from the same state.
func (m *Model) actAll(who int, client, env int32) ([]Effect, error) {
	effects := m.answers[:0]
	for _, action := range m.asked {
		e, ok, err := m.Act(who, client, env, action)
		if err != nil {
			return nil, err
		}
		if ok {
			effects = append(effects, e)
		}
	}
	m.answers = effects
	return effects, nil
}

// step asks what an action does, and what is told of it.
func (m *Model) step(s *sim.State, a history.Action) (events int32, err error) {
	m.emitted = m.emitted[:0]
	if err := s.Step(a, &m.parties); err != nil {
		return 0, err
	}
	return m.events(m.emitted), nil
}

// An envMemo is what is known of an env.
type envMemo struct {
	expiry  history.Millis // when the next key will be gone; 0 for never
	effects []envEffect    // of what was asked for so far
}

type envEffect struct {
	EnvAction
	Effect
}

// An EnvAction happens to an env: time passes up to a moment, or else a fault
// of nodes.
type EnvAction struct {
	To    history.Millis
	Fault int16 // its number
}

// Happened returns what is known of an action in an env; nil for nothing. It is
// good until the next is asked for.
func (m *Model) Happened(env int32, a EnvAction) *Effect {
	list := m.byEnv[env].effects
	for i := range list {
		if list[i].EnvAction == a {
			return &list[i].Effect
		}
	}
	return nil
}

// Happen lets time pass, or something go wrong with the nodes.
func (m *Model) Happen(env int32, a EnvAction) (Effect, error) {
	if known := m.Happened(env, a); known != nil {
		return *known, nil
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

// bare returns a state without clients. It is good until the next visit.
func (m *Model) bare(env int32) sim.State {
	s := *m.visit(AnEnv, 0, env)
	s.Clients = nil
	return s
}
