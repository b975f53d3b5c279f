package explore

import (
	"lockstep/sim/history"
	"lockstep/sim/model"
)

// A transition leads from one state to another by an action. monitor and
// violates are set when it is judged.
type transition struct {
	client, env, monitor int32 // after it; client is that of who
	events               int32 // all events, and those visible
	visible              int32 // to the monitor; see model.Model
	who                  int32 // the acting client; nobody for time and node faults
	action               int16
	violates             model.Invariants
}

// nobody is the actor of time and node faults.
const nobody = -1

// transition returns the transition of an effect, not judged.
func (e *search) transition(of model.Effect, who int32, action int16) transition {
	return transition{client: of.Client, env: of.Env, events: of.Events, visible: e.Visible(of.Events), who: who, action: action}
}

// spends returns what a transition spends of the bounds.
func (e *search) spends(t *transition, faulty bool) (faults, ticks int32) {
	switch {
	case faulty:
		return 1, 0
	case t.action == e.tick || t.action == e.leap:
		return 0, 1
	}
	return 0, 0
}

// follow returns the state after a transition.
func (e *search) follow(from state, t *transition, faulty bool) state {
	to := make(state, len(from))
	e.change(to, from, t, faulty)
	return to
}

// change sets a state to the one after a transition.
func (e *search) change(to, from state, t *transition, faulty bool) {
	copy(to, from)
	if t.who != nobody {
		to[t.who] = t.client
	}
	faults, ticks := e.spends(t, faulty)
	*to.rest(stateEnv), *to.rest(stateMonitor) = t.env, t.monitor
	*to.rest(stateFaults) += faults
	*to.rest(stateTicks) += ticks
	*to.rest(stateCause) = e.caused(from, t)
}

// caused returns 1 if Bounds.Because is violated after a transition.
func (e *search) caused(from state, t *transition) int32 {
	if t.violates&e.because != 0 {
		return 1
	}
	return from.cause()
}

// successors lists the transitions of a state, without faults or by one, and
// learns them if necessary. The next call invalidates the list.
func (e *search) successors(s state, faulty bool) ([]transition, error) {
	w := e.learner
	w.next = w.next[:0]
	if _, err := w.offer(s, faulty); err != nil {
		return nil, err
	}
	w.judgeAll(s.monitor(), w.next)
	return w.next, nil
}

// offer appends the transitions of a state, not judged, to the worker's list.
// ok is false if they are not learned.
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
		leaps = leaps || t.spins // it waits for time without a known deadline
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

// offerEnv appends the transition of time or of a node fault, if it is
// possible. ok is false if it is not learned.
func (w *worker) offerEnv(env int32, a model.EnvAction, action int16) (ok bool, err error) {
	effect := w.Happened(env, a)
	if effect == nil {
		if !w.learns {
			return false, nil
		}
		learned, err := w.Happen(env, a)
		if err != nil {
			return false, err
		}
		effect = &learned
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
