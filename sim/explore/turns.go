package explore

import "lockstep/sim/history"

// A turnTable holds what each client can do in each env.
type turnTable struct {
	turns []index[turn] // by client, of what it is in and the env
	list  []transition  // of all turns, yet to be judged
}

// A turn is what a client can do in an env.
type turn struct {
	due      history.Millis // when time next matters to the client; 0 for never
	from, to int32          // its transitions
	holds    bool           // time cannot pass meanwhile
}

func (t *turnTable) put(w *worker, who int, s state, moves []move, of turn) *turn {
	of.from = int32(len(t.list))
	for _, m := range moves {
		t.list = append(t.list, w.transition(m, int32(who)))
	}
	of.to = int32(len(t.list))
	t.turns[who].put(s.client(who), s.env(), of)
	return t.turns[who].get(s.client(who), s.env())
}

// stepsOf returns the steps that a client can take; nil if that has yet to be
// learnt.
func (w *worker) stepsOf(who int, s state) (*turn, error) {
	if t := w.stepTurns.turns[who].get(s.client(who), s.env()); t != nil || !w.learns {
		return t, nil
	}
	client, env := s.client(who), s.env()
	moves, err := w.steps(who, client, env, w.bounds.slow())
	if err != nil {
		return nil, err
	}
	return w.stepTurns.put(w, who, s, moves, turn{
		due: w.due(who, client, env), holds: len(moves) > 0 && w.clients[who].list[client].Begun() && !w.bounds.Anywhere,
	}), nil
}

// faultsOf returns what may go wrong with a client; nil if that has yet to be
// learnt.
func (w *worker) faultsOf(who int, s state) (*turn, error) {
	if t := w.faultTurns.turns[who].get(s.client(who), s.env()); t != nil || !w.learns {
		return t, nil
	}
	moves, err := w.faults(who, s.client(who), s.env(), w.bounds.Faults)
	if err != nil {
		return nil, err
	}
	return w.faultTurns.put(w, who, s, moves, turn{}), nil
}
