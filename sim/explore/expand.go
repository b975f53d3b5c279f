package explore

import (
	"fmt"

	"lockstep/sim/history"
)

// A worker expands states. What it finds goes to its outbox: nothing that
// others read changes meanwhile, so that any number of workers run at a time.
// One of them learns what the others do not know; it runs alone.
type worker struct {
	*search
	learns bool

	next   []successor // of the state that is being expanded
	tuples []int32     // of those
	outbox
}

// A successor is what a transition leads to.
type successor struct {
	move
	who int32 // whose state changes; -1 for nobody's
	judgement
	at int // its tuple in the worker's tuples
}

// An outbox is what came of the expansion of some states, in their order.
type outbox struct {
	rows       [shardCount][]int32
	hashes     [shardCount][]uint32
	unknown    []uint32 // states that need something that has yet to be learnt
	ending     []uint32 // states in which nobody goes on without a fault
	violations []hit
	fired      []int64 // by list of events
	acted      []int64 // by action
	taken      int     // transitions
}

// A hit is a transition that violates an invariant.
type hit struct {
	invariant string
	from      uint32
	action    int16
}

// known judges a transition and adds it to the successors. It says whether it
// could.
func (w *worker) known(monitor int32, who int, m *move) bool {
	j := judgement(monitor << 1)
	if heeded := w.heeds[m.events]; heeded != 0 {
		j = judgement(w.judged.get(pair(monitor, heeded)))
		if j < 0 {
			if !w.learns {
				return false
			}
			j = w.judge(monitor, heeded)
		}
	}
	w.next = append(w.next, successor{move: *m, who: int32(who), judgement: j})
	return true
}

// successors finds what can follow a state without a fault, or by one. It
// says whether it could: something may have yet to be learnt.
func (w *worker) successors(tuple []int32, faulty bool) (ok bool, err error) {
	w.next = w.next[:0]
	clients := len(w.config.Clients)
	env, monitor := tuple[clients], tuple[clients+1]/w.spends
	if faulty {
		return w.faultSuccessors(tuple, env, monitor)
	}
	due, holds := w.outlooks[env].expiry, false
	for who := range clients {
		t, err := w.stepsOf(who, tuple[who], env)
		if t < 0 || err != nil || !w.take(&w.stepTurns, t, who, monitor) {
			return false, err
		}
		of := &w.stepTurns.list[t]
		due, holds = sooner(due, of.due), holds || of.holds
	}
	if holds || w.ticksOf(tuple) == w.bounds.Ticks {
		return true, nil
	}
	action := w.tick
	if due == 0 {
		if w.bounds.Leap == 0 {
			return true, nil
		}
		action, due = w.leap, w.envs.list[env].now+min(w.bounds.Leap, history.MaxTime+1)
	}
	return w.takePassage(env, monitor, cause{to: due}, action)
}

// takePassage adds what time or a fault of nodes leads to, if it can be, and
// says whether it could.
func (w *worker) takePassage(env, monitor int32, c cause, action int16) (ok bool, err error) {
	passed := w.happened(env, c)
	if passed == nil {
		if !w.learns {
			return false, nil
		}
		p, err := w.happen(env, c)
		if err != nil {
			return false, err
		}
		passed = &p
	}
	return passed.env < 0 || w.known(monitor, -1, &move{env: passed.env, events: passed.events, action: action}), nil
}

func (w *worker) faultSuccessors(tuple []int32, env, monitor int32) (ok bool, err error) {
	for who := range w.config.Clients {
		t, err := w.faultsOf(who, tuple[who], env)
		if t < 0 || err != nil || !w.take(&w.faultTurns, t, who, monitor) {
			return false, err
		}
	}
	for _, fault := range w.nodeFaults {
		if ok, err := w.takePassage(env, monitor, cause{fault: fault}, fault); !ok || err != nil {
			return false, err
		}
	}
	return true, nil
}

// expand sends what can follow a state to the outbox.
func (w *worker) expand(n uint32, faulty bool) error {
	tuple := w.states.at(n)
	ok, err := w.images(tuple, faulty)
	switch {
	case err != nil:
		return err
	case !ok && w.learns:
		return fmt.Errorf("explore: a state cannot be expanded") // a mistake in this package
	case !ok:
		w.unknown = append(w.unknown, n)
		return nil
	}
	for i := range w.next {
		w.send(n, &w.next[i])
	}
	if !faulty && len(w.next) == 0 {
		w.ending = append(w.ending, n)
	}
	return nil
}

// images finds what can follow a state, and the tuples of that. It says
// whether it could: something may have yet to be learnt.
func (w *worker) images(tuple []int32, faulty bool) (ok bool, err error) {
	if ok, err := w.successors(tuple, faulty); !ok || err != nil {
		return false, err
	}
	w.tuples = w.tuples[:0]
	for i := range w.next {
		s := &w.next[i]
		s.at = len(w.tuples)
		w.tuples = w.follow(w.tuples, tuple, s, faulty)
	}
	return true, nil
}

// send puts a successor into the outbox.
func (w *worker) send(from uint32, s *successor) {
	w.taken++
	for int(s.events) >= len(w.fired) {
		w.fired = append(w.fired, 0)
	}
	w.fired[s.events]++
	for int(s.action) >= len(w.acted) {
		w.acted = append(w.acted, 0)
	}
	w.acted[s.action]++
	if s.violates() {
		for _, v := range w.foundAt(w.monitorOf(w.states.at(from)), s) {
			w.violations = append(w.violations, hit{v.Invariant, from, s.action})
		}
	}
	tuple := w.tuples[s.at : s.at+w.states.width]
	h := hash(tuple)
	to := shardOf(h)
	w.rows[to] = append(append(w.rows[to], tuple...), int32(from), int32(s.action))
	w.hashes[to] = append(w.hashes[to], uint32(h))
}

// foundAt returns what a monitor finds in the events of a transition.
func (p *parts) foundAt(monitor int32, s *successor) []history.Violation {
	return p.found[pair(monitor, p.heeds[s.events])]
}

// follow appends the tuple of a successor.
func (e *search) follow(to, tuple []int32, s *successor, faulty bool) []int32 {
	to = append(to, tuple...)
	row := to[len(to)-len(tuple):]
	clients := len(tuple) - 2
	if s.who >= 0 {
		row[s.who] = s.client
	}
	row[clients] = s.env
	spent := tuple[clients+1] % e.spends
	switch {
	case faulty:
		spent += e.spends / int32(e.bounds.Budget+1)
	case s.action == e.tick || s.action == e.leap:
		spent++
	}
	row[clients+1] = s.monitor()*e.spends + spent
	return to
}

func (e *search) monitorOf(tuple []int32) int32 { return tuple[len(tuple)-1] / e.spends }

// ticksOf says how often time has passed on the way to a state.
func (e *search) ticksOf(tuple []int32) int {
	return int(tuple[len(tuple)-1]%e.spends) % (e.bounds.Ticks + 1)
}

// reset empties the outbox but for what is only counted.
func (o *outbox) reset() {
	for i := range o.rows {
		o.rows[i], o.hashes[i] = o.rows[i][:0], o.hashes[i][:0]
	}
	o.unknown, o.ending, o.violations = o.unknown[:0], o.ending[:0], o.violations[:0]
}

// sum adds up what several counted.
func sum(lists ...[]int64) []int64 {
	var all []int64
	for _, list := range lists {
		for i, n := range list {
			if i == len(all) {
				all = append(all, 0)
			}
			all[i] += n
		}
	}
	return all
}
