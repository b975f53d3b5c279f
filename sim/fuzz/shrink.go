package fuzz

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"lockstep/sim"
	"lockstep/sim/explore"
	"lockstep/sim/history"
	"lockstep/sim/program"
)

// cheaper reports whether s is a better counterexample than t: fewer faults,
// then fewer actions, then fewer switches of the actor, then the smaller text.
func cheaper(b explore.Bounds, s, t history.Schedule) bool {
	return cmp.Or(
		cmp.Compare(b.Spending(s).Faults, b.Spending(t).Faults),
		cmp.Compare(len(s), len(t)),
		cmp.Compare(switches(s), switches(t)),
		strings.Compare(s.String(), t.String()),
	) < 0
}

// switches counts the changes of the actor.
func switches(s history.Schedule) (n int) {
	for i := 1; i < len(s); i++ {
		if actorOf(s[i]) != actorOf(s[i-1]) {
			n++
		}
	}
	return n
}

// A shrinker shortens one counterexample. It plays each candidate in a real
// world, so that the result violates the same invariant, at its last action,
// within the same bounds.
type shrinker struct {
	setup
	best explore.Found
	left int // candidates left to try
}

// The maximum number of candidates; the second after ctx has ended.
const (
	maxCandidates     = 5000
	maxCandidatesDone = 500
)

// shrink makes a counterexample cheaper: fewer faults, then fewer actions, then
// a simpler order, until no pass helps. It follows Zeller and Hildebrandt's
// minimising delta debugging (TSE 2002): if a removal loses the violation, it
// tries smaller parts. The result need not be shortest. After ctx has ended it
// tries less.
func (on setup) shrink(f explore.Found) (explore.Found, error) {
	s := &shrinker{on, f, maxCandidates}
	if s.ctx.Err() != nil {
		s.left = maxCandidatesDone
	}
	fault := func(a history.Action) bool { return s.bounds.IsFault(a.Verb) }
	anything := func(history.Action) bool { return true }
	for better := true; better; {
		better = false
		for _, pass := range []func() (bool, error){
			func() (bool, error) { return s.drop(fault) },
			func() (bool, error) { return s.drop(anything) },
			s.rename,
			s.move,
		} {
			helped, err := pass()
			if err != nil {
				return explore.Found{}, err
			}
			better = better || helped
		}
	}
	return s.best, nil
}

// drop removes actions of a kind: half of them at a time, then a quarter, down
// to single ones.
func (s *shrinker) drop(kind func(history.Action) bool) (better bool, err error) {
	places := func() (list []int) {
		for i, a := range s.best.Schedule {
			if kind(a) {
				list = append(list, i)
			}
		}
		return list
	}
	for size := len(places()); size > 0; size /= 2 {
		for from := 0; from < len(places()); {
			list := places()
			out := list[from:min(from+size, len(list))]
			var candidate history.Schedule
			for i, a := range s.best.Schedule {
				if !slices.Contains(out, i) {
					candidate = append(candidate, a)
				}
			}
			helped, err := s.try(candidate)
			if err != nil {
				return false, err
			}
			if better = better || helped; !helped {
				from += size
			}
		}
	}
	return better, nil
}

// rename renames the clients in the order of their first actions.
func (s *shrinker) rename() (bool, error) {
	names := map[string]string{}
	candidate := slices.Clone(s.best.Schedule)
	for i, a := range candidate {
		if a.Client == "" {
			continue
		}
		if names[a.Client] == "" {
			names[a.Client] = s.config.Clients[len(names)]
		}
		candidate[i].Client = names[a.Client]
	}
	return s.try(candidate)
}

// move moves single actions.
func (s *shrinker) move() (better bool, err error) {
	for from := 0; from < len(s.best.Schedule); from++ {
		// A candidate that helps may be shorter.
		for to := 0; to < len(s.best.Schedule) && from < len(s.best.Schedule); to++ {
			candidate := slices.Clone(s.best.Schedule)
			a := candidate[from]
			candidate = slices.Insert(slices.Delete(candidate, from, from+1), min(to, len(candidate)-1), a)
			helped, err := s.try(candidate)
			if err != nil {
				return false, err
			}
			better = better || helped
		}
	}
	return better, nil
}

// try plays a candidate without its disallowed actions, and keeps it if it
// violates the invariant and is cheaper than the best so far.
func (s *shrinker) try(candidate history.Schedule) (better bool, err error) {
	if s.left == 0 || !cheaper(s.bounds, candidate, s.best.Schedule) {
		return false, nil
	}
	s.left--
	f, err := s.violate(candidate, s.best)
	var stuck *program.StuckError
	if errors.As(err, &stuck) {
		s.left = 0 // the next candidate might take as long
		return false, nil
	}
	if err != nil || f == nil || !cheaper(s.bounds, f.Schedule, s.best.Schedule) {
		return false, err
	}
	s.best = *f
	return true, nil
}

// violate plays the actors of an order, without those that may not act at their
// turn, until what like violates is violated, allowed or not as there; it returns nil if it is
// not. It decides lock-recovers only at the end; an undecided one is no violation.
func (s setup) violate(order history.Schedule, like explore.Found) (*explore.Found, error) {
	p, err := s.play()
	if err != nil {
		return nil, err
	}
	defer p.close()
	for _, a := range order {
		actions := p.allowed()
		i := slices.IndexFunc(actions, func(b history.Action) bool { return actorOf(b) == actorOf(a) })
		if i < 0 {
			continue
		}
		found, err := p.perform(actions[i])
		if err != nil {
			return nil, err
		}
		for _, v := range found {
			if f := s.contract.Found(v, p.schedule()); explore.ByInvariant(f, like) == 0 {
				return &f, nil
			}
		}
	}
	if !history.Tried(like.Violation.Invariant) {
		return nil, nil
	}
	all := p.schedule()
	v, err := p.recovers()
	var stuck *program.StuckError
	if v == nil || err != nil {
		if errors.Is(err, sim.ErrUndecided) && !errors.As(err, &stuck) {
			err = nil
		}
		return nil, err
	}
	if f := s.contract.Found(*v, all); explore.ByInvariant(f, like) == 0 {
		return &f, nil
	}
	return nil, nil
}

// proveShortest explores in the order of fewest faults, then fewest actions, with
// the most faults of any counterexample, and marks the counterexamples that are
// shortest. If the exploration proves a shorter one shortest, that replaces the
// counterexample.
func (h *hunt) proveShortest() error {
	b := h.bounds
	b.States, b.Memory, b.Budget = h.options.States, h.options.Memory, 0
	longest := 0
	for i := range h.report.Found {
		f := &h.report.Found[i]
		b.Budget = max(b.Budget, h.report.Faults(f))
		longest = max(longest, len(f.Schedule))
	}
	if b.Budget == 0 { // otherwise a longer schedule might need fewer faults
		b.Depth = min(b.Depth, longest+1)
	}
	r, err := explore.Explore(h.ctx, h.config, h.subject, b, explore.Options{Contract: h.contract})
	if err != nil {
		return err
	}
	for i := range h.report.Found {
		if err := h.compare(&h.report.Found[i], r.Found); err != nil {
			return err
		}
	}
	return nil
}

// compare compares a counterexample with the explored ones.
func (h *hunt) compare(f *explore.Found, explored []explore.Found) error {
	i := slices.IndexFunc(explored, func(g explore.Found) bool { return explore.ByInvariant(g, *f) == 0 })
	if i < 0 || !explored[i].Shortest {
		return nil
	}
	g := explored[i]
	played, err := h.violate(g.Schedule, g)
	var stuck *program.StuckError
	switch {
	case errors.As(err, &stuck):
		return nil
	case err != nil:
		return err
	case played == nil || h.report.Faults(played) != h.report.Faults(&g) || len(played.Schedule) != len(g.Schedule):
		return nil // a model's schedule must also hold in a real world
	case h.report.Faults(f) == h.report.Faults(&g) && len(f.Schedule) == len(g.Schedule):
	default:
		replace(f, *played)
	}
	f.Shortest = true
	return nil
}
