package fuzz

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"

	"lockstep/internal/lang"
	"lockstep/sim"
	"lockstep/sim/explore"
	"lockstep/sim/history"
	"lockstep/sim/program"
	"lockstep/sim/world"
)

// run plays the n-th run, and reports of it as of a hunt. The first run is not random:
// strands take turns, without faults, to measure it.
func (h *hunt) run(ctx context.Context, n int) (Report, error) {
	rng := rand.New(rand.NewPCG(h.options.Seed, uint64(n)))
	b := h.bounds
	var pick picker = newPCT(h.options.BugDepth, h.choices, rng)
	if n == 0 {
		b.Budget = 0
		pick = inTurn{map[actor]int{}}
	}
	p, err := newPlay(ctx, h.config, h.subject, b)
	if err != nil {
		return Report{}, err
	}
	defer p.close()
	r := Report{Report: explore.Report{Limit: "runs"}, Played: Played{Runs: 1}}
	if err := r.play(p, pick); err != nil {
		return Report{}, lang.Errorf("run %d: %w", n, err)
	}
	r.Depth, r.Fewest = r.Transitions, r.Transitions
	for range r.Found {
		r.Hits = append(r.Hits, Hit{First: n, Runs: 1})
	}
	return r, nil
}

// play picks actions until none is allowed or a bound is reached.
func (r *Report) play(p *play, pick picker) error {
	actors := map[actor]bool{}
	for actions := p.allowed(); len(actions) > 0; actions = p.allowed() {
		if r.Transitions == p.bounds.Depth {
			r.Cut = 1
			break
		}
		if len(actions) > 1 {
			r.Promise.Longest++
		}
		for _, a := range actions {
			actors[actorOf(a)] = true
		}
		a := actions[pick.pick(actions)]
		found, err := p.perform(a)
		switch {
		case errors.Is(err, world.ErrTooLong):
			r.Cut = 1
			return r.end(p)
		case err != nil:
			return err
		}
		r.Transitions++
		r.note(found, p.schedule())
	}
	r.Promise.Actors, r.Counts, r.Trouble = len(actors), p.counts, p.panicked
	return r.end(p)
}

// end decides lock-recovers.
func (r *Report) end(p *play) error {
	s := p.schedule()
	v, err := p.recovers()
	var stuck *program.StuckError
	switch {
	case errors.As(err, &stuck):
		return err
	case errors.Is(err, sim.ErrUndecided):
		r.Undecided = 1
	case err != nil:
		return err
	case v != nil:
		r.note([]history.Violation{*v}, s)
	}
	return nil
}

func (r *Report) note(found []history.Violation, s history.Schedule) {
	for _, v := range found {
		if r.Of(v.Invariant) == nil {
			r.Found = append(r.Found, explore.Found{Violation: v, Schedule: s})
		}
	}
}

// batch plays runs, several in parallel. When ctx ends it returns the finished
// runs from the first on, without gaps. An error starts no more runs either.
// batch returns the error of the first run that has one, with the runs before
// it.
func (h *hunt) batch(ctx context.Context, first, many int) ([]Report, error) {
	runs, errs := make([]Report, many), make([]error, many)
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
	report := func(r *Report, err error) {
		mu.Lock()
		defer mu.Unlock()
		failed = failed || err != nil
		for _, f := range r.Found {
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
