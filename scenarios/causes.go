package scenarios

import (
	"context"
	"slices"

	"lockstep/internal/explain"
	"lockstep/internal/lang"
	"lockstep/sim/history"
	"lockstep/strategies"
)

// MaxExplained bounds, roughly, the actions that Explain plays.
const MaxExplained = explain.MaxWork

// Explainer explains the violations of a run that its schedule determines. As
// remedies it tries the lock's fix, the fix of that, and so on, and then all
// other locks that no tutorial prints.
func Explainer(h history.History) (*explain.Run, error) {
	subject, err := SubjectOf(h.Config.Strategy)
	if err != nil {
		return nil, err
	}
	return explain.Of(h, subject, betterThan(h.Config)), nil
}

// Explain explains one violation of such a run.
func Explain(ctx context.Context, h history.History, v history.Violation) (explain.Account, error) {
	run, err := Explainer(h)
	if err != nil {
		return explain.Account{}, err
	}
	return run.Tell(ctx, v)
}

// betterThan lists the locks to try as remedies.
func betterThan(c history.Config) (locks []explain.Lock) {
	add := func(info strategies.Info) {
		known := func(l explain.Lock) bool { return l.ID == info.ID }
		if info.ID == c.Strategy || slices.ContainsFunc(locks, known) {
			return
		}
		subject, _ := SubjectOf(info.ID)
		_, updates := info.New(strategies.Env{}).(strategies.Updater)
		locks = append(locks, explain.Lock{ID: info.ID, Subject: subject, Updates: updates})
	}
	info, ok := strategies.Find(c.Strategy)
	for ok {
		if info, ok = strategies.Find(info.Fix); ok {
			add(info)
		}
	}
	for _, info := range strategies.Catalogue() {
		if len(info.Source) == 0 {
			add(info)
		}
	}
	return locks
}

// Line is the transcript's line of an event: who, and what.
func (r *Result) Line(seq int) lang.Message {
	l, _ := r.History.LineOf(seq)
	return l.Said()
}
