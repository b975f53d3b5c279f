package explore

import (
	"slices"

	"lockstep/internal/lang"
	"lockstep/sim/history"
)

// maxTraced bounds the number of states for which context switches are counted:
// each state is expanded once more.
const maxTraced = 3_000_000

// findSchedules finds, for each violated invariant, the counterexample with the
// fewest faults, then the fewest steps, then the fewest context switches.
func (e *search) findSchedules() error {
	t := &tracer{search: e, best: map[uint32]*suffixes{}}
	traced := e.ctx.Err() == nil && e.states.len() <= maxTraced
	if traced {
		if err := e.unlessStuck(t.run); err != nil {
			return err
		}
		traced = e.ctx.Err() == nil
	}
	for which, id := range history.Invariants() {
		cost, found := e.costs[id]
		if !found {
			continue
		}
		find := t.schedule
		if !traced {
			find = t.any
		}
		s, err := find(which)
		if err != nil {
			return err
		}
		v, err := e.judgeSchedule(id, s)
		if err != nil {
			return err
		}
		point := 0
		if traced {
			err := e.unlessStuck(func() (err error) { point, err = e.pointOfNoReturn(id, s); return err })
			if err != nil {
				return err
			}
		}
		e.report.Found = append(e.report.Found, Found{v, s, e.proven(cost), point})
	}
	return nil
}

// proven reports whether all that costs less than a schedule was visited. The
// search goes by cost, so only a limit on depth leaves gaps.
func (e *search) proven(cost [2]int) bool {
	return (!e.shallow || cost[0] == 0) && e.report.Limit != "recovery"
}

// A tracer finds the simplest of the shortest schedules, backwards from the
// hits.
type tracer struct {
	*search
	best map[uint32]*suffixes // by state
}

// suffixes are the ways from a state to violations: for each invariant of
// history.Invariants, nil or the minimum number of context switches by the
// client that acted last: clients in order, then nobody.
type suffixes [][]uint16

// A violation is an action that violates an invariant.
type violation struct {
	which  int // index in history.Invariants
	action int16
}

// run fills in best, unless it is interrupted.
func (t *tracer) run() error {
	deepest := 0
	for _, cost := range t.costs {
		deepest = max(deepest, cost[1])
	}
	hits := map[uint32][]violation{} // by the state that it leaves
	for which, id := range history.Invariants() {
		for _, h := range t.hits[id] {
			hits[h.from] = append(hits[h.from], violation{which, h.action})
		}
	}
	led := make([]int, len(t.levels)+1) // by faults: the smallest depth with a state that leads to a violation
	for depth := deepest - 1; depth >= 0; depth-- {
		for faults := range t.levels {
			if t.ctx.Err() != nil {
				return nil
			}
			leads := led[faults] == depth+1 || led[faults+1] == depth+1
			known := len(t.best)
			for n := range t.level(faults, depth).states() {
				if !leads && hits[n] == nil {
					continue
				}
				if err := t.look(n, depth, hits[n]); err != nil {
					return err
				}
			}
			if len(t.best) > known {
				led[faults] = depth
			}
		}
	}
	return nil
}

// look finds the best paths from a state at a depth.
func (t *tracer) look(from uint32, depth int, hits []violation) error {
	list, err := t.transitions(t.states.at(from))
	if err != nil {
		return err
	}
	for i := range list {
		tr := &list[i]
		for _, h := range hits {
			if h.action == tr.action {
				t.improve(from, h.which, tr, nil)
			}
		}
		of := t.best[tr.to] // noState has none
		if of == nil || t.depthOf(tr.to) != depth+1 {
			continue
		}
		for which, rest := range *of {
			if rest != nil {
				t.improve(from, which, tr, rest)
			}
		}
	}
	return nil
}

// improve records that a transition leads to a violation, after which the rest
// takes a number of switches.
func (t *tracer) improve(from uint32, which int, tr *edge, rest []uint16) {
	of := t.best[from]
	if of == nil {
		of = &suffixes{}
		t.best[from] = of
	}
	if which >= len(*of) {
		*of = append(*of, make(suffixes, which+1-len(*of))...)
	}
	known := (*of)[which]
	if known == nil {
		known = slices.Repeat([]uint16{1 << 15}, len(t.Config.Processes())+1)
		(*of)[which] = known
	}
	for last := range known {
		known[last] = min(known[last], t.switches(last, tr, rest))
	}
}

// switches counts the context switches of a suffix that begins with a
// transition.
func (t *tracer) switches(last int, tr *edge, rest []uint16) (n uint16) {
	if tr.who != nobody && last != len(t.Config.Processes()) && last != int(tr.who) {
		n = 1
	}
	if tr.who != nobody {
		last = int(tr.who)
	}
	if rest != nil {
		n += rest[last]
	}
	return n
}

// schedule follows the best paths from the first state.
func (t *tracer) schedule(which int) (history.Schedule, error) {
	cost := t.costs[history.Invariants()[which]]
	at, last := t.initial(), len(t.Config.Processes())
	var s history.Schedule
	for len(s) < cost[1] {
		tr, err := t.next(at, which, last, len(s)+1 == cost[1])
		if err != nil {
			return nil, err
		}
		s = append(s, t.Action(tr.action))
		if tr.who != nobody {
			last = int(tr.who)
		}
		at = t.follow(at, &tr.transition, t.bounds.IsFault(t.Action(tr.action).Verb))
	}
	return s, nil
}

// any returns the first of the shortest schedules.
func (t *tracer) any(which int) (history.Schedule, error) {
	h := t.hits[history.Invariants()[which]][0]
	path, err := t.pathTo(h.from)
	return append(path, t.Action(h.action)), err
}

// next returns the first of the best transitions that leave a state.
func (t *tracer) next(from state, which, last int, final bool) (edge, error) {
	list, err := t.transitions(from)
	if err != nil {
		return edge{}, err
	}
	n := t.states.find(from)
	want := (*t.best[n])[which][last]
	for i := range list {
		tr := &list[i]
		if final {
			hits := slices.ContainsFunc(t.hits[history.Invariants()[which]], func(h hit) bool {
				return h.from == n && h.action == tr.action
			})
			if hits && t.switches(last, tr, nil) == want {
				return *tr, nil
			}
			continue
		}
		if tr.to == noState || t.depthOf(tr.to) != t.depthOf(n)+1 {
			continue
		}
		if of := t.best[tr.to]; of != nil && which < len(*of) && (*of)[which] != nil && t.switches(last, tr, (*of)[which]) == want {
			return *tr, nil
		}
	}
	return edge{}, lang.Errorf("explore: no way on to %s", history.Invariants()[which]) // a bug in this package
}
