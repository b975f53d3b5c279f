package explore

import (
	"fmt"
	"slices"

	"lockstep/sim/history"
)

// findSchedules finds, for each invariant that was violated, the schedule that
// violates it with the fewest faults, then the fewest steps, then the fewest
// context switches.
func (e *search) findSchedules() error {
	t := &tracer{search: e, best: map[suffixKey][]uint16{}}
	if err := t.run(); err != nil {
		return err
	}
	for which, id := range history.Invariants {
		cost, found := e.costs[id]
		if !found {
			continue
		}
		s, err := t.schedule(which)
		if err != nil {
			return err
		}
		v, err := e.judgeSchedule(id, s)
		if err != nil {
			return err
		}
		e.report.Found = append(e.report.Found, Found{v, s, e.proven(cost)})
	}
	return nil
}

// proven says whether everything that costs less than a schedule has been
// visited. The search goes by cost, so only a limit on depth leaves gaps.
func (e *search) proven(cost [2]int) bool {
	return !e.shallow || cost[0] == 0
}

// A tracer looks for the simplest of all shortest schedules, backwards from the
// transitions that violate an invariant.
type tracer struct {
	*search
	// best is how many context switches it takes from a state to the violation
	// of an invariant at the least, by who acted before: clients in order, then
	// nobody.
	best map[suffixKey][]uint16
}

type suffixKey struct {
	state uint32
	which int // of history.Invariants
}

func (t *tracer) run() error {
	deepest := 0
	for _, cost := range t.costs {
		deepest = max(deepest, cost[1])
	}
	hits := map[uint32][]hit{} // by the state that it leaves
	for _, id := range history.Invariants {
		for _, h := range t.hits[id] {
			hits[h.from] = append(hits[h.from], h)
		}
	}
	for depth := deepest - 1; depth >= 0; depth-- {
		for faults := range t.levels {
			l := t.level(faults, depth)
			if l == nil {
				continue
			}
			for i, s := range l {
				for n := s.from; n < s.to; n++ {
					id := uint32(i)<<shardShift | n
					if err := t.look(id, hits[id]); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

// look finds the best ways on from a state.
func (t *tracer) look(from uint32, hits []hit) error {
	w := t.learner()
	for _, faulty := range []bool{false, true} {
		if faulty && t.faultsOf(t.states.at(from)) == t.bounds.Budget {
			break
		}
		if _, err := w.successors(t.states.at(from), faulty); err != nil {
			return err
		}
		for i := range w.next {
			t.consider(from, &w.next[i], faulty, hits)
		}
	}
	return nil
}

// consider takes note of where a transition leads.
func (t *tracer) consider(from uint32, s *successor, faulty bool, hits []hit) {
	for _, h := range hits {
		if h.action == s.action {
			t.improve(from, slices.Index(history.Invariants, h.invariant), int(s.who), nil)
		}
	}
	if len(t.best) == 0 {
		return
	}
	to := t.states.find(t.follow(nil, t.states.at(from), s, faulty))
	if to == noState {
		return // a limit has cut it off
	}
	for which := range history.Invariants {
		rest, ok := t.best[suffixKey{to, which}]
		if ok && t.depthOf(to) == t.depthOf(from)+1 {
			t.improve(from, which, int(s.who), rest)
		}
	}
}

// improve notes that a violation can be reached by an action of a client, and
// from there in so many switches.
func (t *tracer) improve(from uint32, which, who int, rest []uint16) {
	key := suffixKey{from, which}
	known, ok := t.best[key]
	if !ok {
		known = slices.Repeat([]uint16{1 << 15}, len(t.config.Clients)+1)
		t.best[key] = known
	}
	for last := range known {
		known[last] = min(known[last], t.switches(last, who, rest))
	}
}

// switches counts the context switches of a suffix that begins with an action
// of a client, or of nobody.
func (t *tracer) switches(last, who int, rest []uint16) uint16 {
	nobody := len(t.config.Clients)
	after, n := last, uint16(0)
	if who >= 0 {
		after = who
		if last != nobody && last != who {
			n = 1
		}
	}
	if rest != nil {
		n += rest[after]
	}
	return n
}

// schedule follows the best ways from the first state.
func (t *tracer) schedule(which int) (history.Schedule, error) {
	cost := t.costs[history.Invariants[which]]
	state := t.states.find(t.first())
	last := len(t.config.Clients)
	var s history.Schedule
	for len(s) < cost[1] {
		next, err := t.best1(state, which, last, len(s)+1 == cost[1])
		if err != nil {
			return nil, err
		}
		s = append(s, t.verbs.list[next.action])
		if next.who >= 0 {
			last = next.who
		}
		state = next.to
	}
	return s, nil
}

type choice struct {
	action int16
	who    int
	to     uint32
}

// best1 returns the first of the best actions in a state.
func (t *tracer) best1(from uint32, which, last int, final bool) (choice, error) {
	w := t.learner()
	want := t.best[suffixKey{from, which}][last]
	for _, faulty := range []bool{false, true} {
		if faulty && t.faultsOf(t.states.at(from)) == t.bounds.Budget {
			break
		}
		if _, err := w.successors(t.states.at(from), faulty); err != nil {
			return choice{}, err
		}
		for i := range w.next {
			s := &w.next[i]
			if final {
				hit := slices.Contains(t.hits[history.Invariants[which]], hit{history.Invariants[which], from, s.action})
				if hit && t.switches(last, int(s.who), nil) == want {
					return choice{s.action, int(s.who), noState}, nil
				}
				continue
			}
			to := t.states.find(t.follow(nil, t.states.at(from), s, faulty))
			if to == noState || t.depthOf(to) != t.depthOf(from)+1 {
				continue
			}
			if rest, ok := t.best[suffixKey{to, which}]; ok && t.switches(last, int(s.who), rest) == want {
				return choice{s.action, int(s.who), to}, nil
			}
		}
	}
	return choice{}, fmt.Errorf("explore: no way on to %s", history.Invariants[which]) // a mistake in this package
}

// judgeSchedule performs a schedule and returns how its last action violates an
// invariant.
func (e *search) judgeSchedule(invariant string, s history.Schedule) (history.Violation, error) {
	tuple := e.first()
	for i, a := range s {
		next, err := e.perform(tuple, a)
		if err != nil {
			return history.Violation{}, err
		}
		tuple = next.tuple
		for _, v := range next.found {
			if i == len(s)-1 && v.Invariant == invariant {
				return v, nil
			}
		}
	}
	return history.Violation{}, fmt.Errorf("explore: %s does not violate %s", s, invariant) // a mistake in this package
}

// A performed is what came of an action.
type performed struct {
	tuple []int32
	found []history.Violation
}

// perform takes one action in a state.
func (e *search) perform(tuple []int32, a history.Action) (performed, error) {
	w := e.learner()
	faulty := e.bounds.isFault(a.Verb)
	if _, err := w.successors(tuple, faulty); err != nil {
		return performed{}, err
	}
	for i := range w.next {
		if s := &w.next[i]; e.verbs.list[s.action] == a {
			return performed{e.follow(nil, tuple, s, faulty), e.foundAt(tuple[len(tuple)-1]/e.spends, s)}, nil
		}
	}
	return performed{}, fmt.Errorf("explore: %s is not possible", a) // a mistake in this package
}

// way returns the actions by which a state was first reached.
func (e *search) way(n uint32) history.Schedule {
	var s history.Schedule
	for ; e.states.parent(n) != noState; n = e.states.parent(n) {
		s = append(s, e.verbs.list[e.states.action(n)])
	}
	slices.Reverse(s)
	return s
}

// faultsOf says how many faults have happened on the way to a state.
func (e *search) faultsOf(tuple []int32) int {
	return int(tuple[len(tuple)-1]%e.spends) / (e.bounds.Ticks + 1)
}

// depthOf says in how many steps a state was first reached.
func (e *search) depthOf(n uint32) int {
	shard, place := n>>shardShift, n&maxShard
	levels := e.levels[e.faultsOf(e.states.at(n))]
	depth, _ := slices.BinarySearchFunc(levels, place, func(l level, place uint32) int {
		if l[shard].to <= place {
			return -1
		}
		return 0
	})
	return depth
}
