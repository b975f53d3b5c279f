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

func (t *moveTable) put(w *worker, who int, s state, effects []model.Effect, of moves) *moves {
	of.from = int32(len(t.list))
	for _, e := range effects {
		t.list = append(t.list, w.transition(e, int32(who), e.Action))
	}
	of.to = int32(len(t.list))
	t.byClient[who].Put(s.client(who), s.env(), of)
	return t.byClient[who].Get(s.client(who), s.env())
}

// stepsOf returns the steps of a client; nil if they are not learned.
func (w *worker) stepsOf(who int, s state) (*moves, error) {
	if of := w.stepMoves.byClient[who].Get(s.client(who), s.env()); of != nil || !w.learns {
		return of, nil
	}
	client, env := s.client(who), s.env()
	effects, err := w.Steps(who, client, env, w.bounds.slow())
	if err != nil {
		return nil, err
	}
	c := w.Client(who, client)
	holds := len(effects) > 0 && !w.Begins(who, client, effects) && !c.Paused && !w.bounds.Anywhere
	of := w.stepMoves.put(w, who, s, effects, moves{due: w.Due(who, client, env), holds: holds})
	if len(effects) == 0 || !w.InRound(who, client) {
		return of, nil
	}
	if _, known := w.spinning[who]; !known {
		w.spinning[who] = client
	}
	of.spins, err = w.Spins(who, client, env)
	of.holds = of.holds && !of.spins
	return of, err
}

// faultsOf returns the faults of a client; nil if they are not learned.
func (w *worker) faultsOf(who int, s state) (*moves, error) {
	if of := w.faultMoves.byClient[who].Get(s.client(who), s.env()); of != nil || !w.learns {
		return of, nil
	}
	effects, err := w.Faults(who, s.client(who), s.env(), w.bounds.Faults)
	if err != nil {
		return nil, err
	}
	return w.faultMoves.put(w, who, s, effects, moves{}), nil
}
