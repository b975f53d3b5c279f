package explore

import (
	"lockstep/sim/history"
)

// A turnTable holds what each client can do in each env.
type turnTable struct {
	index []index // by client
	list  []turn
	moves []move // of all turns
}

// A turn is what a client can do in an env.
type turn struct {
	due      history.Millis // when time next matters to the client; 0 for never
	from, to int32          // its moves
	holds    bool           // time cannot pass meanwhile
}

// get returns the number of a turn; -1 if it is not known.
func (t *turnTable) get(who int, client, env int32) int32 {
	return t.index[who].get(pair(client, env))
}

func (t *turnTable) put(who int, client, env int32, moves []move, of turn) int32 {
	n := int32(len(t.list))
	of.from = int32(len(t.moves))
	t.moves = append(t.moves, moves...)
	of.to = int32(len(t.moves))
	t.list = append(t.list, of)
	t.index[who].put(pair(client, env), n)
	return n
}

// stepsOf returns the number of the turn with the steps that a client can
// take; -1 if that has yet to be learnt.
func (w *worker) stepsOf(who int, client, env int32) (int32, error) {
	if t := w.stepTurns.get(who, client, env); t >= 0 || !w.learns {
		return t, nil
	}
	moves, err := w.steps(who, client, env, w.bounds.slow())
	if err != nil {
		return -1, err
	}
	return w.stepTurns.put(who, client, env, moves, turn{
		due: w.due(who, client, env), holds: len(moves) > 0 && w.clients[who].list[client].Begun() && !w.bounds.Anywhere,
	}), nil
}

// faultsOf returns the number of the turn with what may go wrong with a
// client; -1 if that has yet to be learnt.
func (w *worker) faultsOf(who int, client, env int32) (int32, error) {
	if t := w.faultTurns.get(who, client, env); t >= 0 || !w.learns {
		return t, nil
	}
	moves, err := w.faults(who, client, env, w.bounds.Faults)
	if err != nil {
		return -1, err
	}
	return w.faultTurns.put(who, client, env, moves, turn{}), nil
}

// take adds the moves of a turn to the successors and says whether it could.
func (w *worker) take(t *turnTable, n int32, who int, monitor int32) bool {
	of := &t.list[n]
	for i := of.from; i < of.to; i++ {
		if !w.known(monitor, who, &t.moves[i]) {
			return false
		}
	}
	return true
}
