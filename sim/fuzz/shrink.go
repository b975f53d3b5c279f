package fuzz

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"lockstep/sim"
	"lockstep/sim/explore"
	"lockstep/sim/history"
	"lockstep/sim/program"
)

// cheaper says whether s is better than t as a counterexample: fewer faults,
// then fewer actions, then fewer changes of who acts, then the earlier text.
func cheaper(b explore.Bounds, s, t history.Schedule) bool {
	return cmp.Or(
		cmp.Compare(b.Spending(s).Faults, b.Spending(t).Faults),
		cmp.Compare(len(s), len(t)),
		cmp.Compare(switches(s), switches(t)),
		strings.Compare(s.String(), t.String()),
	) < 0
}

// switches counts how often somebody else acts than before.
func switches(s history.Schedule) (n int) {
	for i := 1; i < len(s); i++ {
		if actorOf(s[i]) != actorOf(s[i-1]) {
			n++
		}
	}
	return n
}

// A shrinker makes one counterexample shorter. Each candidate is played in a
// real world, so that what is kept violates the same invariant, at its last
// action, within the same bounds.
type shrinker struct {
	ctx     context.Context
	config  history.Config
	subject program.Subject
	bounds  explore.Bounds
	best    explore.Found
	left    int // candidates that may yet be tried
}

// The number of candidates that are tried at most; the second once somebody
// waits for the end.
const (
	maxCandidates     = 5000
	maxCandidatesDone = 500
)

// shrink makes a counterexample cheaper: first with fewer faults, then fewer
// actions, then a simpler order, until nothing helps any more. It is Zeller and
// Hildebrandt's minimising delta debugging (TSE 2002) with one way to halve: a
// removal that does not lead to the violation is tried again in smaller parts.
// What is left need not be shortest. Once ctx is done it tries less.
func shrink(ctx context.Context, config history.Config, subject program.Subject, b explore.Bounds, f explore.Found) (explore.Found, error) {
	s := &shrinker{ctx: ctx, config: config, subject: subject, bounds: b, best: f, left: maxCandidates}
	if ctx.Err() != nil {
		s.left = maxCandidatesDone
	}
	fault := func(a history.Action) bool { return b.IsFault(a.Verb) }
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

// drop leaves out actions of a kind: a half of them at a time, then a quarter,
// down to single ones.
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

// rename calls the clients by the order in which they first act.
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

// move takes one action to another place.
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

// try plays a candidate and keeps it if it is cheaper than the best so far and
// violates the invariant. What is not allowed where it stands is left out.
func (s *shrinker) try(candidate history.Schedule) (better bool, err error) {
	if s.left == 0 || !cheaper(s.bounds, candidate, s.best.Schedule) {
		return false, nil
	}
	s.left--
	f, err := violate(s.ctx, s.config, s.subject, s.bounds, candidate, s.best.Violation.Invariant)
	var stuck *program.StuckError
	if errors.As(err, &stuck) {
		s.left = 0 // the next candidate might be as long in coming to its end
		return false, nil
	}
	if err != nil || f == nil || !cheaper(s.bounds, f.Schedule, s.best.Schedule) {
		return false, err
	}
	s.best = *f
	return true, nil
}

// violate plays actors in the given order, leaving out those that may not act
// where it is their turn, until the invariant is violated; nil if it never is.
// lock-recovers is decided at the end only. That it cannot be decided is no
// violation.
func violate(ctx context.Context, config history.Config, subject program.Subject, b explore.Bounds, order history.Schedule, invariant string) (*explore.Found, error) {
	p, err := newPlay(ctx, config, subject, b)
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
			if v.Invariant == invariant {
				return &explore.Found{Violation: v, Schedule: p.schedule()}, nil
			}
		}
	}
	if invariant != history.LockRecovers {
		return nil, nil
	}
	s := p.schedule()
	v, err := p.recovers()
	var stuck *program.StuckError
	if v == nil || err != nil {
		if errors.Is(err, sim.ErrUndecided) && !errors.As(err, &stuck) {
			err = nil
		}
		return nil, err
	}
	return &explore.Found{Violation: *v, Schedule: s}, nil
}

// proveShortest explores, in the order of fewest faults and then fewest steps,
// with as many faults as the costliest of what was found, and says of each
// whether it is shortest. Where the exploration finds a shorter schedule and
// shows that it is shortest, that takes the place of what was found.
func (h *hunt) proveShortest(ctx context.Context) error {
	b := h.bounds
	b.States, b.Memory, b.Budget = h.options.States, h.options.Memory, 0
	longest := 0
	for i := range h.report.Found {
		f := &h.report.Found[i]
		b.Budget = max(b.Budget, h.report.Faults(f))
		longest = max(longest, len(f.Schedule))
	}
	if b.Budget == 0 { // otherwise a longer schedule might do with fewer faults
		b.Depth = min(b.Depth, longest+1)
	}
	r, err := explore.Explore(ctx, h.config, h.subject, b, explore.Options{Jobs: h.options.Jobs})
	if err != nil {
		return err
	}
	for i := range h.report.Found {
		if err := h.compare(ctx, &h.report.Found[i], r.Found); err != nil {
			return err
		}
	}
	return nil
}

// compare holds a schedule against what was explored.
func (h *hunt) compare(ctx context.Context, f *explore.Found, explored []explore.Found) error {
	i := slices.IndexFunc(explored, func(g explore.Found) bool { return g.Violation.Invariant == f.Violation.Invariant })
	if i < 0 || !explored[i].Shortest {
		return nil
	}
	g := explored[i]
	played, err := violate(ctx, h.config, h.subject, h.bounds, g.Schedule, g.Violation.Invariant)
	var stuck *program.StuckError
	switch {
	case errors.As(err, &stuck):
		return nil
	case err != nil:
		return err
	case played == nil || h.report.Faults(played) != h.report.Faults(&g) || len(played.Schedule) != len(g.Schedule):
		return nil // the explorer's word is not enough
	case h.report.Faults(f) == h.report.Faults(&g) && len(f.Schedule) == len(g.Schedule):
	default:
		*f = *played
	}
	f.Shortest = true
	return nil
}
