package fuzz

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"

	"lockstep/internal/lang"
	"lockstep/sim"
	"lockstep/sim/explore"
	"lockstep/sim/history"
	"lockstep/sim/program"
	"lockstep/sim/world"
)

// A run is the result of one run of a hunt.
type run struct {
	found     []explore.Found // the first violation of each invariant
	actors    int             // that could act
	choices   int             // the moments at which more than one actor could act
	actions   int
	cut       bool // Bounds.Depth or the world's maximum length ended it
	undecided bool // lock-recovers is undecided at its end
	counts    explore.Counts
	panicked  lang.Message // see Report.Trouble
}

// run plays the n-th run. The first run is not random: strands take turns,
// without faults, to measure it.
func (h *hunt) run(ctx context.Context, n int) (r run, err error) {
	rng := rand.New(rand.NewPCG(h.options.Seed, uint64(n)))
	b := h.bounds
	var pick picker = newPCT(h.options.BugDepth, h.choices, rng)
	if n == 0 {
		b.Budget = 0
		pick = inTurn{map[actor]int{}}
	}
	p, err := newPlay(ctx, h.config, h.subject, b)
	if err != nil {
		return run{}, err
	}
	defer p.close()
	if err := r.play(p, pick); err != nil {
		return run{}, lang.Errorf("run %d: %w", n, err)
	}
	return r, nil
}

// play picks actions until none is allowed or a bound is reached.
func (r *run) play(p *play, pick picker) error {
	actors := map[actor]bool{}
	for actions := p.allowed(); len(actions) > 0; actions = p.allowed() {
		if r.actions == p.bounds.Depth {
			r.cut = true
			break
		}
		if len(actions) > 1 {
			r.choices++
		}
		for _, a := range actions {
			actors[actorOf(a)] = true
		}
		a := actions[pick.pick(actions)]
		found, err := p.perform(a)
		switch {
		case errors.Is(err, world.ErrTooLong):
			r.cut = true
			return r.end(p)
		case err != nil:
			return err
		}
		r.actions++
		r.note(found, p.schedule())
	}
	r.actors, r.counts, r.panicked = len(actors), p.counts, p.panicked
	return r.end(p)
}

// end decides lock-recovers.
func (r *run) end(p *play) error {
	s := p.schedule()
	v, err := p.recovers()
	var stuck *program.StuckError
	switch {
	case errors.As(err, &stuck):
		return err
	case errors.Is(err, sim.ErrUndecided):
		r.undecided = true
	case err != nil:
		return err
	case v != nil:
		r.note([]history.Violation{*v}, s)
	}
	return nil
}

func (r *run) note(found []history.Violation, s history.Schedule) {
	for _, v := range found {
		if !slices.ContainsFunc(r.found, func(f explore.Found) bool { return f.Violation.Invariant == v.Invariant }) {
			r.found = append(r.found, explore.Found{Violation: v, Schedule: s})
		}
	}
}

// batch plays runs, several in parallel. When ctx ends it returns the finished
// runs from the first on, without gaps. An error starts no more runs either.
// batch returns the error of the first run that has one, with the runs before
// it.
func (h *hunt) batch(ctx context.Context, first, many int) ([]run, error) {
	runs, errs := make([]run, many), make([]error, many)
	var mu sync.Mutex
	next, done, failed := 0, first, false
	take := func() (n int, ok bool) {
		mu.Lock()
		defer mu.Unlock()
		if next == many || failed || ctx.Err() != nil {
			return 0, false
		}
		next++
		return next - 1, true
	}
	report := func(r *run, err error) {
		mu.Lock()
		defer mu.Unlock()
		failed = failed || err != nil
		for _, f := range r.found {
			h.known[f.Violation.Invariant] = true
		}
		if done++; h.options.Progress != nil {
			h.options.Progress(done, len(h.known))
		}
	}
	var workers sync.WaitGroup
	for range min(max(1, h.options.Jobs), many) {
		workers.Go(func() {
			for n, ok := take(); ok; n, ok = take() {
				runs[n], errs[n] = h.run(ctx, first+n)
				report(&runs[n], errs[n])
			}
		})
	}
	workers.Wait()
	for n, err := range errs[:next] {
		if err != nil {
			return runs[:n], err
		}
	}
	return runs[:next], nil
}
