package explore

import (
	"lockstep/sim/history"
	"lockstep/sim/internal/pairs"
	"lockstep/sim/model"
)

// The moves of a client are its transitions in an env.
type moves struct {
	due      history.Millis // when time next matters to the client; 0 for never
	from, to int32          // the range of its transitions in the table
	holds    bool           // it keeps time from passing
	spins    bool           // its steps lead it round; see model.Model.Spins
}

// A moveTable holds the moves of each client in each env.
type moveTable struct {
	byClient []pairs.Map[moves] // by its state and the env
	list     []transition       // of all moves, not judged
}

func (t *moveTable) put(e *search, who int, s state, effects []model.Effect, of moves) *moves {
	of.from = int32(len(t.list))
	for _, of := range effects {
		t.list = append(t.list, e.transition(of, int32(who), of.Action))
	}
	of.to = int32(len(t.list))
	t.byClient[who].Put(s.client(who), s.env(), of)
	return t.byClient[who].Get(s.client(who), s.env())
}

// stepsOf returns the steps of a client.
func (e *search) stepsOf(who int, s state) (*moves, error) {
	if of := e.stepMoves.byClient[who].Get(s.client(who), s.env()); of != nil {
		return of, nil
	}
	client, env := s.client(who), s.env()
	effects, err := e.Steps(who, client, env, e.bounds.slow())
	if err != nil {
		return nil, err
	}
	c := e.Client(who, client)
	holds := len(effects) > 0 && !e.Begins(who, client, effects) && !c.Paused && !e.bounds.Anywhere
	of := e.stepMoves.put(e, who, s, effects, moves{due: e.Due(who, client, env), holds: holds})
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
	if of := e.faultMoves.byClient[who].Get(s.client(who), s.env()); of != nil {
		return of, nil
	}
	effects, err := e.Faults(who, s.client(who), s.env(), e.bounds.Faults)
	if err != nil {
		return nil, err
	}
	return e.faultMoves.put(e, who, s, effects, moves{}), nil
}
