package scenarios

import (
	"errors"
	"fmt"
	"slices"

	"lockstep/scenarios/prose"
	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/world"
)

// check judges everything that happened so far, and whether the lock can be
// acquired again.
func (r *runner) check(only []string) error {
	wanted := func(id string) bool { return len(only) == 0 || slices.Contains(only, id) }
	if wanted(history.LockRecovers) {
		if err := r.checkRecovery(); err != nil {
			return err
		}
	}
	r.printVerdict(r.found, wanted, r.undecided, r.monitor.Consequence())
	return nil
}

// recoveryWork is what it costs to see whether the lock can be acquired again,
// beside playing the run once more: see runner.work.
const recoveryWork = 500

// checkRecovery decides lock-recovers, unless it is known to be violated.
func (r *runner) checkRecovery() error {
	if slices.ContainsFunc(r.found, func(v history.Violation) bool { return v.Invariant == history.LockRecovers }) {
		return nil
	}
	if err := r.work(len(r.w.History().Schedule) + recoveryWork); err != nil {
		return err
	}
	v, err := world.FindOrphan(r.on.ctx, r.w.History(), r.subject)
	if errors.Is(err, sim.ErrUndecided) {
		r.undecided = "UNDECIDED " + err.Error()
		errors.As(err, &r.stuck)
		return nil
	}
	if v != nil {
		r.found = append(r.found, *v)
	}
	return err
}

func (r *runner) printVerdict(found []history.Violation, wanted func(string) bool, undecided, consequence string) {
	times := map[string]int{}
	var verdicts []string // each once, by invariant
	for _, id := range history.Invariants {
		for _, v := range found {
			if v.Invariant != id || !wanted(id) {
				continue
			}
			verdict := Verdict(v)
			if times[verdict]++; times[verdict] == 1 {
				verdicts = append(verdicts, verdict)
			}
		}
	}
	for _, verdict := range verdicts {
		if n := times[verdict]; n > 1 {
			verdict += fmt.Sprintf(" (%d times)", n)
		}
		r.print("%s", verdict)
	}
	switch {
	case undecided != "" && wanted(history.LockRecovers):
		r.print("%s", undecided)
	case len(verdicts) == 0:
		r.print("HOLDS")
	}
	r.print("%s", consequence)
}

// Verdict writes a violation on one line, in English.
func Verdict(v history.Violation) string {
	book, err := prose.Load("en")
	if err != nil {
		return "VIOLATED " + v.Invariant // the prose package's own test shows why
	}
	facts := prose.ViolationFacts{Client: v.Client, Other: v.Other, Key: v.Key, Detail: v.Detail}
	return "VIOLATED " + v.Invariant + ": " + book.Violation(v.Prose(), facts)
}
