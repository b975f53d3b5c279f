package trial

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"time"

	"lockstep/internal/cache"
	"lockstep/internal/lang"
	"lockstep/sim/explore"
	"lockstep/sim/fuzz"
	"lockstep/sim/history"
	"lockstep/sim/program"
)

// judged explores a hazard, or finds in the cache what that would find, and describes
// it: first in its usual world, then in those that the lock's traits call for, until it
// fails in a way of its own.
func (t *Trial) judged(ctx context.Context, h explore.Hazard) (*Report, error) {
	h = h.On(t.lock.Subject)
	h.Bounds = t.Plan.bounds(h)
	faults := len(h.Bounds.Faults)
	h.Bounds.Faults = slices.DeleteFunc(slices.Clone(h.Bounds.Faults), setsBack)
	usual := h.Config(t.lock, t.Plan.clients()...)
	if h.ID == "long-work" {
		usual.Work = cmp.Or(t.Plan.Work, usual.Work)
	}
	worlds := []history.Config{usual}
	var sum *Report
	var delays, others []any
	for i := 0; i < len(worlds) && (sum == nil || sum.Verdict != explore.Inconclusive && !slices.ContainsFunc(sum.Found, Found.New)); i++ {
		a, err := t.answer(ctx, h, worlds[i])
		if err != nil {
			return nil, err
		}
		r, err := t.report(&a, usual, len(h.Bounds.Faults) < faults)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			worlds = append(worlds, t.variants(usual, &a)...)
		}
		sum = sum.and(r)
		switch is := worlds[i]; {
		case i > 0 && is.Delay == usual.Delay:
			others = append(others, world(is))
		case a.Delays:
			delays = append(delays, lang.Word(is.Delay))
			sum.Delays = append(sum.Delays, is.Delay)
		}
	}
	if delays != nil {
		sum.assumes = sum.assumes.And(lang.New("delays that the code draws at random, one exploration each: %v", lang.Items(delays...)))
	}
	for _, other := range others {
		sum.assumes = sum.assumes.And(lang.New("one more exploration: %v", other))
	}
	sum.Assumptions = t.in(sum.assumes)
	return sum, nil
}

// variants returns the worlds beside the usual one. Random delays are also the shortest
// and the longest. Long work is also three leases of the lock's own, if those are longer, and
// follows a nested call, if the lock allows one. A lock that renews at the same interval whatever the
// TTL also has one below that, unless the test sets it. Contention is also for work of almost a
// lease on one node: whoever takes over what will end soon comes while the holder is still at work.
func (t *Trial) variants(usual history.Config, a *cache.Answer) (list []history.Config) {
	world := usual
	also := func() { list = append(list, world) }
	if a.Delays {
		for _, world.Delay = range []string{history.Shortest, history.Longest} {
			also()
		}
	}
	world, seen := usual, a.Counts.Renewal
	if lease := min(seen.Lease, usual.TTL); a.Hazard == Contention && lease > usual.Work { // a key may stay for longer than a lease
		world.Work = lease - 1
		also()
		world = usual
	}
	if seen.Every > 0 && seen.Lease > usual.TTL && t.Plan.Work == 0 {
		world.Work = 3 * seen.Lease
		also()
	}
	if seen.Nests {
		world.Nest = 2
		also()
	}
	if world = usual; seen.Fixed && t.Plan.TTL == 0 {
		world.TTL = explore.Short(seen.Every)
		world.Work = 3 * world.TTL
		also()
	}
	return list
}

// report describes an answer; usual is the hazard's usual world.
func (t *Trial) report(a *cache.Answer, usual history.Config, forward bool) (*Report, error) {
	proven := a.Report
	r := &Report{
		Hazard: a.Hazard, assumes: t.assumptions(a, usual, forward),
		States: proven.States, Transitions: proven.Transitions, Sampled: a.Sampled, Bound: a.Bound,
	}
	for i := range proven.Found {
		f := &proven.Found[i]
		same := t.before(&proven, f)
		if f.Allowed != "" && t.known[f.Violation.Invariant] == Contention { // it is violated in any case
			continue
		}
		told, err := t.describeFound(&proven, f, same)
		if err != nil {
			return nil, err
		}
		if told != nil {
			r.Found = append(r.Found, *told)
		}
	}
	r.Explored = proven
	r.Facts = a.Traits
	verdict, reason := verdictOn(proven)
	if verdict == explore.Violated && !slices.ContainsFunc(r.Found, Found.New) { // what of the rest?
		proven.Found = nil
		_, reason = proven.Verdict()
	}
	r.Verdict, r.Reason = verdict, t.in(reason)
	return r, nil
}

// Contention is the first hazard. What it violates needs no fault, and hides nothing else: its
// search goes on, and so does one under another hazard.
const Contention = "contention"

// goesOn reports whether a search that a violation ended is to go on past it.
func (t *Trial) goesOn(r *explore.Report) bool {
	return r.Limit == explore.FirstViolation && (r.Hazard == Contention || !slices.ContainsFunc(r.Found, func(f explore.Found) bool {
		return f.Allowed == "" && (r.Faults(&f) > 0 || t.known[f.Violation.Invariant] != Contention)
	}))
}

// before is the earlier hazard whose violation that of a report is; "" if there is none. Neither
// needs a fault. What is special about overrun, reentry and long-work is no fault either: only
// contention has what they have, and no other hazard has theirs.
func (t *Trial) before(r *explore.Report, f *explore.Found) string {
	id := f.Violation.Invariant
	if f.Allowed != "" || r.Faults(f) > 0 {
		return ""
	}
	plain := t.knows(id, r.Hazard, r.Bounds.Budget)
	if from := t.known[id]; from != r.Hazard && (from == Contention || plain) {
		return from
	}
	return ""
}

// knows notes that a hazard violates an invariant without a fault, unless its world may have
// brought that about: it has no faults, and is not contention.
func (t *Trial) knows(invariant, hazard string, budget int) (plain bool) {
	plain = hazard == Contention || budget > 0
	if plain {
		t.known[invariant] = cmp.Or(t.known[invariant], hazard)
	}
	return plain
}

// answer is that of the cache, or else of explored.
func (t *Trial) answer(ctx context.Context, h explore.Hazard, config history.Config) (cache.Answer, error) {
	q := explore.Question{Lock: t.lock, Hazard: h, Config: config, First: true}
	plan, err := json.Marshal(t.Plan)
	if err != nil {
		return cache.Answer{}, err
	}
	asked := string(plan) + t.always
	if a, ok := t.Cache.FindAnswer(ctx, q, asked); ok {
		if !a.Since.Before(t.began) { // by this trial, when time had cut another world of the hazard
			a.Since = time.Time{}
		}
		return a, nil
	}
	a, err := t.explored(ctx, q)
	if err == nil {
		err = t.Sockets()
	}
	if err != nil { // it may be about what was learned before
		for _, forget := range t.kept {
			forget()
		}
	}
	// A part of the samples is not what the next trial would find.
	if err == nil && (t.Cache.Holds() || ctx.Err() == nil && (a.Sampled == 0 || a.Sampled == t.Plan.Runs)) {
		t.Cache.KeepAnswer(q, a, asked)
		t.kept = append(t.kept, func() { t.Cache.KeepAnswer(q, cache.Answer{}, asked) })
	}
	return a, err
}

// explored explores a hazard, and samples it if a limit ends the exploration.
func (t *Trial) explored(ctx context.Context, q explore.Question) (a cache.Answer, err error) {
	if t.Ready != nil {
		begun := time.Now()
		t.Unready, t.Ready = t.Ready(t.within), nil
		t.later(time.Since(begun))
	}
	if t.Unready != nil {
		return a, t.Unready
	}
	// At which line code runs without end is seen once each client was probed, and its patience is over.
	if until, _ := ctx.Deadline(); t.Traits().Endless && time.Until(until) < 3*program.Patience() {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(t.within, 3*program.Patience())
		defer cancel()
	}
	plan := t.Plan // a copy, since the questions to the cache name the test's own
	if err = plan.Take(t.Traits()); err == nil {
		q.Config.LockKey = plan.Key
		a.Report, err = t.prove(ctx, q, explore.Options{First: q.First})
	}
	if err != nil {
		return a, err
	}
	if t.goesOn(&a.Report) { // for its part of the time
		ctx, cancel := context.WithTimeout(ctx, time.Until(t.Until)/time.Duration(t.left+1))
		defer cancel()
		more, err := t.prove(ctx, q, explore.Options{})
		if err != nil {
			return a, err
		}
		if verdict, _ := verdictOn(more); verdict == explore.Violated {
			a.Report = more
		}
	}
	if q.Hazard.ID == Contention && q.Config.Nodes <= 1 && a.Trouble.None() {
		a.Counts.Renewal.Lease = explore.Lease(t.lock.Subject, q.Config)
	}
	if t.within.Err() != nil && !a.Trouble.None() { // its code was ended, and is not at fault
		a.Limit, a.Trouble = explore.RealTime, lang.Message{}
	}
	if verdict, _ := verdictOn(a.Report); verdict == explore.Inconclusive && a.Limit != "" && a.Limit != explore.RealTime {
		if err := t.sample(ctx, q.Hazard, &a); err != nil {
			return a, err
		}
	}
	if a.Limit == explore.Interrupt && t.ctx.Err() == nil { // its part of the time was over
		a.Limit = explore.RealTime
	}
	a.Traits, a.Adapted = t.Traits(), t.Adapted()
	return a, nil
}

// contract is what is allowed under a hazard.
func (t *Trial) contract(h explore.Hazard) explore.Contract {
	return func(v history.Violation) lang.Word { return t.Plan.allowed(v, h.ID) }
}

// prove explores for a part of the time; the rest is for sampling.
func (t *Trial) prove(ctx context.Context, q explore.Question, o explore.Options) (explore.Report, error) {
	until, _ := ctx.Deadline() // Try has given it one
	ctx, cancel := context.WithTimeout(ctx, time.Until(until)*4/5)
	defer cancel()
	if o.Contract = t.contract(q.Hazard); t.Progress != nil {
		o.Progress = t.Progress(q.Hazard.ID)
	}
	return t.row.Explore(ctx, q.Hazard, q.Config, o)
}

// sampleDepth is the bug depth of sampling: how many orders of actions a bug
// needs.
const sampleDepth = 3

// sample plays random schedules and adds what it finds to the answer.
func (t *Trial) sample(ctx context.Context, h explore.Hazard, a *cache.Answer) error {
	proven := &a.Report
	o := fuzz.Options{BugDepth: sampleDepth, Runs: t.Plan.Runs, Jobs: 1, Seed: 1, Contract: t.contract(h)}
	sampled, err := fuzz.Hunt(ctx, proven.Config, t.lock.Subject, proven.Bounds, o)
	if err != nil {
		return err
	}
	a.Sampled = sampled.Hunt.Runs
	a.Bound, _ = fuzz.Bound(sampled.Hunt)
	for _, f := range sampled.Found {
		if !slices.ContainsFunc(proven.Found, func(g explore.Found) bool { return explore.ByInvariant(f, g) == 0 }) {
			proven.Found = append(proven.Found, f)
		}
	}
	slices.SortStableFunc(proven.Found, explore.ByInvariant)
	return nil
}
