package scenarios

import (
	"context"
	"slices"
	"sync"

	"lockstep/internal/explain"
	"lockstep/sim"
	"lockstep/sim/explore"
	"lockstep/sim/history"
	"lockstep/strategies"
)

// MaxExplained bounds, roughly, the actions that Explain plays.
const MaxExplained = explain.MaxWork

// Explainer explains the violations of a run that its schedule determines. As
// remedies it tries the lock's fix, the fix of that, and so on, and then all
// other locks on the same kind of server that no tutorial prints.
func Explainer(h history.History) (*explain.Run, error) {
	subject, err := SubjectOf(h.Config.Strategy)
	if err != nil {
		return nil, err
	}
	better := sync.OnceValue(func() []explain.Alternative { return betterThan(h) }) // what it reads is long, and few ask for remedies
	return explain.Of(h, subject, better), nil
}

// Explain explains one violation of such a run.
func Explain(ctx context.Context, h history.History, v history.Violation) (explain.Account, error) {
	run, err := Explainer(h)
	if err != nil {
		return explain.Account{}, err
	}
	return run.Tell(ctx, v)
}

// betterThan lists the locks to try as remedies, with what was explored of them under
// the hazards of the run.
func betterThan(h history.History) (locks []explain.Alternative) {
	c, hazards := h.Config, hazardsOf(h)
	cells := ExploredCells()
	add := func(info strategies.Info) {
		known := func(l explain.Alternative) bool { return l.ID == info.ID }
		if info.ID == c.Strategy || slices.ContainsFunc(locks, known) {
			return
		}
		subject, _ := SubjectOf(info.ID)
		_, updates := info.New(strategies.Env{}).(strategies.Updater)
		locks = append(locks, explain.Alternative{ID: info.ID, Subject: subject, Updates: updates, Explored: exploredUnder(cells, info.ID, hazards)})
	}
	info, ok := strategies.Find(c.Strategy)
	for ok {
		if info, ok = strategies.Find(info.Fix); ok {
			add(info)
		}
	}
	own, _ := SubjectOf(c.Strategy)
	for _, info := range strategies.Catalogue() {
		if len(info.Source) == 0 && info.ZooKeeper == (own.Server == sim.ZooKeeper) {
			add(info)
		}
	}
	return locks
}

// hazardsOf lists the hazards that happened in a run: those of its faults, or else
// overrun if a lease ended, or else contention.
func hazardsOf(h history.History) (ids []string) {
	end, overrun := len(h.Events)-1, false
	delayed := slices.ContainsFunc(h.Schedule, func(a history.Action) bool { return a.Verb == history.Send })
	for _, hazard := range explore.Hazards() {
		switch {
		case hazard.ID == "contention", hazard.ID == "long-work":
		case hazard.ID == "overrun":
			overrun = hazard.Occurred(h, end)
		case hazard.Occurred(h, end) || hazard.ID == "late-request" && delayed:
			ids = append(ids, hazard.ID)
		}
	}
	switch { // with a fault, time passes under its hazard too
	case len(ids) > 0:
	case overrun:
		ids = []string{"overrun"}
	default:
		ids = []string{"contention"}
	}
	return ids
}

// exploredUnder says what is known of a lock under some hazards, by invariant. It
// holds only if the run has no other hazard: their combinations were not explored.
func exploredUnder(cells []Explored, lock string, hazards []string) map[string]explain.Exploration {
	out := map[string]explain.Exploration{}
	for _, c := range cells {
		if c.Lock != lock || !slices.Contains(hazards, c.Hazard) {
			continue
		}
		for _, invariant := range history.Invariants() {
			violated := slices.Contains(c.Violates, invariant)
			if _, known := out[invariant]; known || !violated && (c.Cut || len(hazards) > 1) {
				continue
			}
			out[invariant] = explain.Exploration{Holds: !violated, Hazard: c.Hazard}
		}
	}
	return out
}
