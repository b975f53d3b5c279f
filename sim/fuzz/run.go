package fuzz

import (
	"errors"
	"math/rand/v2"
	"slices"
	"sync"

	"lockstep/internal/lang"
	"lockstep/internal/parallel"
	"lockstep/sim"
	"lockstep/sim/explore"
	"lockstep/sim/history"
	"lockstep/sim/program"
	"lockstep/sim/world"
)

// run plays the n-th run, and reports of it as of a hunt. The first run is not random:
// strands take turns, without faults, to measure it.
func (h *hunt) run(n int) (r explore.Report, err error) {
	on := h.setup
	var pick picker = newPCT(h.options.BugDepth, h.choices, rand.New(rand.NewPCG(h.options.Seed, uint64(n))))
	if n == 0 {
		on.bounds.Budget = 0
		pick = inTurn{map[actor]int{}}
	}
	p, err := on.play()
	if err != nil {
		return r, err
	}
	defer p.close()
	r = explore.Report{Limit: explore.OutOfRuns, Hunt: &explore.Hunted{Runs: 1}}
	if err := p.run(&r, pick); err != nil {
		return explore.Report{}, lang.Errorf("run %d: %w", n, err)
	}
	r.Depth, r.Hunt.Fewest = r.Transitions, r.Transitions
	for i := range r.Found {
		r.Found[i].Hit = explore.Hit{Runs: 1, First: n}
	}
	return r, nil
}

// run picks actions until none is allowed or a bound is reached.
func (p *play) run(r *explore.Report, pick picker) error {
	actors := map[actor]bool{}
	for actions := p.allowed(); len(actions) > 0; actions = p.allowed() {
		if r.Transitions == p.bounds.Depth {
			r.Hunt.Cut = 1
			break
		}
		if len(actions) > 1 {
			r.Hunt.Promise.Longest++
		}
		for _, a := range actions {
			actors[actorOf(a)] = true
		}
		a := actions[pick.pick(actions)]
		found, err := p.perform(a)
		switch {
		case errors.Is(err, world.ErrTooLong):
			r.Hunt.Cut = 1
			return p.end(r)
		case err != nil:
			return err
		}
		r.Transitions++
		p.note(r, found, p.schedule())
	}
	r.Hunt.Promise.Actors, r.Counts = len(actors), p.counts
	return p.end(r)
}

// end decides lock-recovers.
func (p *play) end(r *explore.Report) error {
	s := p.schedule()
	v, err := p.recovers()
	var stuck *program.StuckError
	switch {
	case errors.As(err, &stuck):
		return err
	case errors.Is(err, sim.ErrUndecided):
		r.Hunt.Undecided = 1
	case err != nil:
		return err
	case v != nil:
		p.note(r, []history.Violation{*v}, s)
	}
	return nil
}

// note adds violations of invariants that nothing was known to violate, and those that the
// contract allows beside those that it does not.
func (p *play) note(r *explore.Report, found []history.Violation, s history.Schedule) {
	for _, v := range found {
		f := p.contract.Found(v, s)
		if !slices.ContainsFunc(r.Found, func(g explore.Found) bool { return explore.ByInvariant(f, g) == 0 }) {
			r.Found = append(r.Found, f)
		}
	}
}

// batch plays runs, several in parallel. When ctx ends it returns the finished
// runs from the first on, without gaps. It returns the error of the first run that has
// one, with the runs before it, and starts no run after that.
func (h *hunt) batch(first, many int) ([]explore.Report, error) {
	runs, errs := make([]explore.Report, many), make([]error, many)
	var mu sync.Mutex
	done, failed := first, many
	parallel.Do(h.options.Jobs, many, func(n int) {
		mu.Lock()
		wanted := n < failed && h.ctx.Err() == nil
		mu.Unlock()
		if !wanted {
			return
		}
		runs[n], errs[n] = h.run(first + n)
		mu.Lock()
		defer mu.Unlock()
		if errs[n] != nil {
			failed = min(failed, n)
		}
		for _, f := range runs[n].Found {
			h.known[f.Violation.Invariant] = true
		}
		if done++; h.options.Progress != nil {
			h.options.Progress(done, len(h.known))
		}
	})
	for n, err := range errs {
		if err != nil || runs[n].Hunt == nil {
			return runs[:n], err
		}
	}
	return runs, nil
}
