package explore

import (
	"slices"

	"lockstep/internal/lang"
	"lockstep/sim/history"
)

// A trail is the simplest schedule to a state, where a client acted last.
type trail struct {
	trailEnd
	state    state
	switches int
	action   int16
	before   *trail
}

// A trailEnd is a state and the client that acted last.
type trailEnd struct {
	to   uint32
	last int
}

// simplest returns the simplest schedule to a bad state as cheap as the given one: of the shortest ones that with the fewest context switches,
// and of these the first in the order in which actions are offered.
func (f *orphanFinder) simplest(bad uint32, good func(state) (bool, error)) (s history.Schedule, err error) {
	if f.states.len() > maxTraced {
		return f.pathTo(bad)
	}
	faults, depth := f.states.at(bad).faults(), f.depthOf(bad)
	trails := []*trail{{state: f.initial(), trailEnd: trailEnd{last: nobody}}}
	for at := range depth {
		best := map[trailEnd]*trail{}
		var next []*trail
		for _, t := range trails {
			if f.ctx.Err() != nil {
				return f.pathTo(bad)
			}
			list, err := f.transitions(t.state)
			if err != nil {
				return nil, err
			}
			for i := range list {
				e := &list[i]
				if e.to == noState || f.states.at(e.to).faults() > faults || f.depthOf(e.to) != at+1 {
					continue
				}
				u := &trail{trailEnd{e.to, t.last}, nil, t.switches, e.action, t}
				if e.who != nobody {
					if u.last = int(e.who); t.last != nobody && t.last != u.last {
						u.switches++
					}
				}
				if known := best[u.trailEnd]; known == nil || u.switches < known.switches {
					u.state = f.follow(t.state, &e.transition, f.bounds.IsFault(f.Action(e.action).Verb))
					best[u.trailEnd] = u
					next = append(next, u)
				}
			}
		}
		trails = slices.DeleteFunc(next, func(t *trail) bool { return best[t.trailEnd] != t })
	}
	trails = slices.DeleteFunc(trails, func(t *trail) bool { return t.state.faults() != faults })
	slices.SortStableFunc(trails, func(a, b *trail) int { return a.switches - b.switches })
	for _, t := range trails {
		ok, err := good(t.state)
		if err != nil {
			return nil, err
		}
		if ok {
			continue
		}
		for ; t.before != nil; t = t.before {
			s = append(s, f.Action(t.action))
		}
		slices.Reverse(s)
		return s, nil
	}
	return nil, lang.Errorf("explore: no level has the orphan") // a bug in this package
}
