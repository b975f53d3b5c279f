package explore

import (
	"lockstep/sim/history"
	"lockstep/sim/model"
)

// A transition is a step from one state to another by an action. Until it is
// judged, its monitor and what it violates mean nothing.
type transition struct {
	client, env, monitor int32 // what it leads to; the client is that which acts
	events               int32 // what happens, and what is left of it
	visible              int32 // to the monitor; see model.Model
	who                  int32 // whose action it is; nobody for time and what befalls nodes
	action               int16
	violates             model.Invariants
}

// nobody is who acts where no client does.
const nobody = -1

// transition returns what an action comes to, yet to be judged.
func (e *search) transition(of model.Effect, who int32, action int16) transition {
	return transition{client: of.Client, env: of.Env, events: of.Events, visible: e.Visible(of.Events), who: who, action: action}
}

// spends says what of the bounds a transition spends.
func (e *search) spends(t *transition, faulty bool) (faults, ticks int32) {
	switch {
	case faulty:
		return 1, 0
	case t.action == e.tick || t.action == e.leap:
		return 0, 1
	}
	return 0, 0
}

// follow returns the state that a transition leads to.
func (e *search) follow(from state, t *transition, faulty bool) state {
	to := append(state(nil), from...)
	if t.who != nobody {
		to[t.who] = t.client
	}
	faults, ticks := e.spends(t, faulty)
	*to.rest(stateEnv), *to.rest(stateMonitor) = t.env, t.monitor
	*to.rest(stateFaults) += faults
	*to.rest(stateTicks) += ticks
	return to
}

// successors lists what can follow a state without a fault, or by one, and
// learns what it takes. The list is good until the next is asked for.
func (e *search) successors(s state, faulty bool) ([]transition, error) {
	w := e.learner
	w.next = w.next[:0]
	if _, err := w.offer(s, faulty); err != nil {
		return nil, err
	}
	w.judgeAll(s.monitor(), w.next)
	return w.next, nil
}

// offer appends what can follow a state to the worker's transitions; they have
// yet to be judged. It says whether it could: something may have yet to be
// learnt.
func (w *worker) offer(s state, faulty bool) (ok bool, err error) {
	if faulty {
		return w.offerFaults(s)
	}
	env := s.env()
	due, holds, leaps := w.NextExpiry(env), false, w.bounds.Leap > 0
	for who := range s.clients() {
		t, err := w.stepsOf(who, s)
		if t == nil || err != nil {
			return false, err
		}
		for i := t.from; i < t.to; i++ { // too few to append all at once
			w.next = append(w.next, w.stepMoves.list[i])
		}
		due, holds = model.Sooner(due, t.due), holds || t.holds
		leaps = leaps || t.spins // it waits for time, and nobody knows how long
	}
	if holds || s.ticks() == w.bounds.Ticks {
		return true, nil
	}
	action := w.tick
	if due == 0 {
		if !leaps {
			return true, nil
		}
		action, due = w.leap, w.Now(env)+min(w.Action(w.leap).By, history.MaxTime+1)
	}
	return w.offerEnv(env, model.EnvAction{To: due}, action)
}

// offerEnv appends what time or a fault of nodes leads to, if it can be, and
// says whether it could.
func (w *worker) offerEnv(env int32, a model.EnvAction, action int16) (ok bool, err error) {
	effect := w.Happened(env, a)
	if effect == nil {
		if !w.learns {
			return false, nil
		}
		learnt, err := w.Happen(env, a)
		if err != nil {
			return false, err
		}
		effect = &learnt
	}
	if effect.Possible() {
		w.next = append(w.next, w.transition(*effect, nobody, action))
	}
	return true, nil
}

func (w *worker) offerFaults(s state) (ok bool, err error) {
	for who := range s.clients() {
		t, err := w.faultsOf(who, s)
		if t == nil || err != nil {
			return false, err
		}
		w.next = append(w.next, w.faultMoves.list[t.from:t.to]...)
	}
	for _, fault := range w.nodeFaults {
		if ok, err := w.offerEnv(s.env(), model.EnvAction{Fault: fault}, fault); !ok || err != nil {
			return false, err
		}
	}
	return true, nil
}
