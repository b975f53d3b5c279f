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
	violates             properties
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
	e.next = e.next[:0]
	offer := e.offer
	if faulty {
		offer = e.offerFaults
	}
	if err := offer(s); err != nil {
		return nil, err
	}
	e.judgeAll(s.monitor(), e.next)
	return e.next, nil
}

// offer appends the steps of all clients, or that of time, not judged, to the list.
func (e *search) offer(s state) error {
	env := s.env()
	due, holds, leaps := e.NextExpiry(env), false, e.bounds.Leap > 0
	for who := range s.clients() {
		t, err := e.stepsOf(who, s)
		if err != nil {
			return err
		}
		e.next = append(e.next, t.list...)
		due, holds = model.Sooner(due, t.due), holds || t.holds
		leaps = leaps || t.spins // it waits for time without a known deadline
	}
	if holds || s.ticks() == e.bounds.Ticks {
		return nil
	}
	action := e.tick
	if due == 0 {
		if !leaps {
			return nil
		}
		action, due = e.leap, e.Now(env)+min(e.Action(e.leap).By, history.MaxTime+1)
	}
	return e.offerEnv(env, model.EnvAction{To: due}, action)
}

// offerEnv appends the transition of time or of a node fault, if it is possible.
func (e *search) offerEnv(env int32, a model.EnvAction, action int16) error {
	effect, err := e.Happen(env, a)
	if err == nil && effect.Possible() {
		e.next = append(e.next, e.transition(effect, nobody, action))
	}
	return err
}

// offerFaults appends the faults of all clients and nodes.
func (e *search) offerFaults(s state) error {
	for who := range s.clients() {
		t, err := e.faultsOf(who, s)
		if err != nil {
			return err
		}
		e.next = append(e.next, t.list...)
	}
	for _, fault := range e.nodeFaults {
		if err := e.offerEnv(s.env(), model.EnvAction{Fault: fault}, fault); err != nil {
			return err
		}
	}
	return nil
}
