package trial

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"lockstep/internal/cache"
	"lockstep/internal/lang"
	"lockstep/sim/explore"
	"lockstep/sim/fuzz"
	"lockstep/sim/history"
)

// judged explores a hazard, or finds in the cache what that would find, and describes
// it: first with delays as the lock draws them and then, if it draws any, with the
// shortest and the longest, until it fails.
func (t *Trial) judged(ctx context.Context, h explore.Hazard) (*Report, error) {
	h = h.On(t.lock.Subject)
	h.Bounds = t.Plan.bounds(h)
	faults := len(h.Bounds.Faults)
	h.Bounds.Faults = slices.DeleteFunc(slices.Clone(h.Bounds.Faults), setsBack)
	var sum *Report
	for _, delays := range []string{history.Drawn, history.Shortest, history.Longest} {
		a, err := t.answer(ctx, h, delays)
		if err != nil {
			return nil, err
		}
		r, err := t.report(&a, len(h.Bounds.Faults) < faults)
		if err != nil {
			return nil, err
		}
		sum = sum.and(r)
		if !a.Delays {
			break
		}
		if sum.Delays = append(sum.Delays, delays); !sum.Passes() {
			break
		}
	}
	if sum.Delays != nil {
		var words []any
		for _, d := range sum.Delays {
			words = append(words, lang.Word(d))
		}
		sum.Assumptions = t.in(lang.Join("; ", sum.Assumptions, lang.New("delays that the code draws at random, one exploration each: %v", lang.Items(words...))))
	}
	return sum, nil
}

// report describes an answer.
func (t *Trial) report(a *cache.Answer, forward bool) (*Report, error) {
	proven := a.Report
	r := &Report{
		Hazard: a.Hazard, Assumptions: t.in(t.assumptions(a, forward)),
		States: proven.States, Transitions: proven.Transitions, Sampled: a.Sampled, Bound: a.Bound,
	}
	for i := range proven.Found {
		f, err := t.describeFound(&proven, &proven.Found[i])
		if err != nil {
			return nil, err
		}
		r.Found = append(r.Found, f)
	}
	r.Explored = proven
	verdict, reason := t.verdictOn(proven)
	r.Verdict, r.Reason = verdict, t.in(reason)
	return r, nil
}

// answer is that of the cache, or else of explored.
func (t *Trial) answer(ctx context.Context, h explore.Hazard, delays string) (cache.Answer, error) {
	q := explore.Question{Lock: t.lock, Hazard: h, Config: h.Config(t.lock, t.Plan.clients()...), Enough: true}
	q.Config.Delay = delays
	plan, err := json.Marshal(t.Plan)
	if err != nil {
		return cache.Answer{}, err
	}
	if a, ok := t.Cache.FindAnswer(ctx, q, string(plan)); ok {
		return a, nil
	}
	a, err := t.explored(ctx, q)
	if err == nil {
		err = t.sockets()
	}
	if err != nil { // it may be about what was learned before
		for _, q := range t.kept {
			t.Cache.DropAnswer(q, string(plan))
		}
	}
	// A part of the samples is not what the next trial would find.
	if err == nil && ctx.Err() == nil && (a.Sampled == 0 || a.Sampled == t.Plan.Runs) {
		t.Cache.KeepAnswer(q, a, string(plan))
		t.kept = append(t.kept, q)
	}
	return a, err
}

// sockets is an error if the lock's process has a network connection.
func (t *Trial) sockets() error {
	if t.Host == nil {
		return nil
	}
	return t.Host.Sockets()
}

// explored explores a hazard, and samples it if a limit ends the exploration.
func (t *Trial) explored(ctx context.Context, q explore.Question) (a cache.Answer, err error) {
	if t.Ready != nil {
		t.ready, t.Ready = t.Ready(ctx), nil
	}
	if t.ready != nil {
		return a, t.ready
	}
	if a.Report, err = t.prove(ctx, q); err != nil {
		return a, err
	}
	if t.within.Err() != nil && !a.Trouble.None() { // its code was ended, and is not at fault
		a.Limit, a.Trouble = explore.RealTime, lang.Message{}
	}
	if limit := a.Limit; limit != "" && limit != explore.FirstViolation && limit != explore.RealTime {
		if err := t.sample(ctx, &a); err != nil {
			return a, err
		}
	}
	if t.Host != nil {
		a.Draws, a.Delays, a.Adapted = t.Host.Draws(), t.Host.Delays(), t.Host.Adapted()
	}
	return a, nil
}

// prove explores for a part of the time; the rest is for sampling.
func (t *Trial) prove(ctx context.Context, q explore.Question) (explore.Report, error) {
	until, _ := ctx.Deadline() // Try has given it one
	ctx, cancel := context.WithTimeout(ctx, time.Until(until)*2/3)
	defer cancel()
	return t.row.Explore(ctx, q.Hazard, q.Config, explore.Options{Progress: t.Progress, Enough: func(invariant string) bool { return t.Plan.allowed(invariant, q.Hazard.ID) == "" }})
}

// sampleDepth is the bug depth of sampling: how many orders of actions a bug
// needs.
const sampleDepth = 3

// sample plays random schedules and adds what it finds to the answer.
func (t *Trial) sample(ctx context.Context, a *cache.Answer) error {
	proven := &a.Report
	sampled, err := fuzz.Hunt(ctx, proven.Config, t.lock.Subject, proven.Bounds, fuzz.Options{Pick: fuzz.PCT, BugDepth: sampleDepth, Runs: t.Plan.Runs, Jobs: 1, Seed: 1})
	if err != nil {
		return err
	}
	a.Sampled = sampled.Runs
	a.Bound, _ = sampled.Bound()
	for _, f := range sampled.Found {
		if !slices.ContainsFunc(proven.Found, func(g explore.Found) bool { return g.Violation.Invariant == f.Violation.Invariant }) {
			proven.Found = append(proven.Found, f)
		}
	}
	slices.SortStableFunc(proven.Found, func(a, b explore.Found) int {
		return slices.Index(history.Invariants(), a.Violation.Invariant) - slices.Index(history.Invariants(), b.Violation.Invariant)
	})
	return nil
}
