package explore

import (
	"maps"
	"slices"

	"lockstep/internal/lang"
	"lockstep/sim/history"
)

// maxTraced bounds the number of states for which context switches are counted:
// each state is expanded once more.
const maxTraced = 3_000_000

// A trail is the simplest of the shortest ways to a state, by the client that acted
// last: that with the fewest context switches, and of those the first in the order in
// which actions are offered.
type trail struct {
	trailEnd
	switches int32
	action   int16
	before   *trail // nil at the first state
}

// A trailEnd is a state and the client that acted last; nobody before any has.
type trailEnd struct {
	to   uint32
	last int32
}

// then returns the trail that goes on by an action.
func (t *trail) then(to uint32, who int32, action int16) *trail {
	u := &trail{trailEnd{to, t.last}, t.switches, action, t}
	if who != nobody {
		if u.last = who; t.last != nobody && t.last != who {
			u.switches++
		}
	}
	return u
}

// schedule returns the actions of a trail.
func (e *search) schedule(t *trail) (s history.Schedule) {
	for ; t.before != nil; t = t.before {
		s = append(s, e.Action(t.action))
	}
	slices.Reverse(s)
	return slices.Concat(e.options.After, s)
}

// trailsTo returns the trails of a length that have at most so many faults, in the
// order in which actions are offered. It calls at for each length before that. There
// are none if ctx ends.
func (e *search) trailsTo(faults, length int, at func(depth int, trails []*trail)) ([]*trail, error) {
	trails := []*trail{{trailEnd: trailEnd{last: nobody}}}
	for depth := range length {
		at(depth, trails)
		best := map[trailEnd]*trail{}
		var next []*trail
		for _, t := range trails {
			if e.ctx.Err() != nil {
				return nil, nil
			}
			list, err := e.transitions(e.states.at(t.to))
			if err != nil {
				return nil, err
			}
			for i := range list {
				to := list[i].to
				if to == noState || e.states.at(to).faults() > faults || e.depthOf(to) != depth+1 {
					continue
				}
				u := t.then(to, list[i].who, list[i].action)
				if known := best[u.trailEnd]; known == nil || u.switches < known.switches {
					best[u.trailEnd] = u
					next = append(next, u)
				}
			}
		}
		trails = slices.DeleteFunc(next, func(t *trail) bool { return best[t.trailEnd] != t })
	}
	return trails, nil
}

// findSchedules finds, for each violated property, the counterexample with the
// fewest faults, then the fewest actions, then the fewest context switches.
func (e *search) findSchedules() error {
	var simplest map[property]*trail
	if e.states.len() <= maxTraced {
		if err := e.unlessStuck(func() (err error) { simplest, err = e.traceHits(); return err }); err != nil {
			return err
		}
	}
	for _, p := range slices.Sorted(maps.Keys(e.costs)) {
		var s history.Schedule
		var err error
		if t := simplest[p]; t != nil {
			s = e.schedule(t)
		} else if s, err = e.anySchedule(p); err != nil {
			return err
		}
		v, err := e.judgeSchedule(p, s)
		if err != nil {
			return err
		}
		point := 0
		if simplest[p] != nil {
			err := e.unlessStuck(func() (err error) { point, err = e.pointOfNoReturn(p, s); return err })
			if err != nil {
				return err
			}
		}
		e.addFound(Found{Violation: v, Schedule: s, Shortest: e.proven(e.costs[p]), Point: point})
	}
	return nil
}

// traceHits returns the simplest of the cheapest trails that violate each property;
// none if ctx ends.
func (e *search) traceHits() (map[property]*trail, error) {
	faults, steps := 0, 0
	for _, cost := range e.costs {
		faults, steps = max(faults, cost[0]), max(steps, cost[1])
	}
	simplest := map[property]*trail{}
	hits := func(depth int, trails []*trail) {
		for p, cost := range e.costs {
			if cost[1] == depth+1 {
				simplest[p] = simplestHit(trails, e.hits[p])
			}
		}
	}
	last, err := e.trailsTo(faults, max(0, steps-1), hits)
	if last == nil || err != nil {
		return nil, err
	}
	hits(steps-1, last)
	return simplest, nil
}

// simplestHit returns the simplest trail that goes on by a hit.
func simplestHit(trails []*trail, hits []hit) (simplest *trail) {
	from := map[uint32][]hit{}
	for _, h := range hits {
		from[h.from] = append(from[h.from], h)
	}
	for _, t := range trails {
		for _, h := range from[t.to] {
			if u := t.then(noState, h.who, h.action); simplest == nil || u.switches < simplest.switches {
				simplest = u
			}
		}
	}
	return simplest
}

// anySchedule returns the first of the shortest schedules that violate a property.
func (e *search) anySchedule(p property) (history.Schedule, error) {
	h := e.hits[p][0]
	path, err := e.pathTo(h.from)
	return append(path, e.Action(h.action)), err
}

// proven reports whether all that costs less than a schedule was visited. The
// search goes by cost, so only a limit on depth leaves gaps.
func (e *search) proven(cost [2]int) bool {
	return (!e.shallow || cost[0] == 0) && e.report.Limit != Unrecovered
}

// simplest returns the schedule of the simplest trail to a bad state as cheap as the
// given one.
func (f *orphanFinder) simplest(bad uint32, good func(state) (bool, error)) (history.Schedule, error) {
	if f.states.len() > maxTraced {
		return f.pathTo(bad)
	}
	faults := f.states.at(bad).faults()
	trails, err := f.trailsTo(faults, f.depthOf(bad), func(int, []*trail) {})
	switch {
	case err != nil:
		return nil, err
	case trails == nil:
		return f.pathTo(bad)
	}
	slices.SortStableFunc(trails, func(a, b *trail) int { return int(a.switches - b.switches) })
	for _, t := range trails {
		if f.states.at(t.to).faults() != faults {
			continue
		}
		if ok, err := good(f.states.at(t.to)); !ok || err != nil {
			return f.schedule(t), err
		}
	}
	return nil, lang.Errorf("explore: no level has the orphan") // a bug in this package
}
