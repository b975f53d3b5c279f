package explore

import (
	"lockstep/sim/history"
	"lockstep/sim/internal/pairs"
	"lockstep/sim/model"
)

// The moves of a client are its transitions in an env.
type moves struct {
	due   history.Millis // when time next matters to the client; 0 for never
	list  []transition   // not judged
	holds bool           // it keeps time from passing
	spins bool           // its steps lead it round; see model.Model.Spins
}

// A moveTable holds the moves of each client, by its state and the env.
type moveTable []pairs.Map[moves]

func (t moveTable) of(who int, s state) *moves { return t[who].Get(s.client(who), s.env()) }

func (t moveTable) put(e *search, who int, s state, effects []model.Effect, of moves) *moves {
	for _, effect := range effects {
		of.list = append(of.list, e.transition(effect, int32(who), effect.Action))
	}
	return t[who].Put(s.client(who), s.env(), of)
}

// stepsOf returns the steps of a client.
func (e *search) stepsOf(who int, s state) (*moves, error) {
	if of := e.stepMoves.of(who, s); of != nil {
		return of, nil
	}
	client, env := s.client(who), s.env()
	effects, err := e.Steps(who, client, env, e.bounds.slow())
	if err != nil {
		return nil, err
	}
	of := e.stepMoves.put(e, who, s, effects, moves{
		due: e.Due(who, client, env), holds: len(effects) > 0 && !e.Begins(who, client, effects) && !e.Client(who, client).Paused && !e.bounds.Anywhere,
	})
	if len(effects) == 0 || !e.InRound(who, client) {
		return of, nil
	}
	if _, known := e.spinning[who]; !known {
		e.spinning[who] = client
	}
	of.spins, err = e.Spins(who, client, env)
	of.holds = of.holds && !of.spins
	return of, err
}

// faultsOf returns the faults of a client.
func (e *search) faultsOf(who int, s state) (*moves, error) {
	if of := e.faultMoves.of(who, s); of != nil {
		return of, nil
	}
	effects, err := e.Faults(who, s.client(who), s.env(), e.bounds.Faults)
	if err != nil {
		return nil, err
	}
	return e.faultMoves.put(e, who, s, effects, moves{}), nil
}
