package scenarios

import (
	"errors"
	"slices"

	"lockstep/internal/lang"
	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/world"
)

// check judges everything so far, and whether the lock can be acquired again.
func (r *runner) check(only []string) error {
	wanted := func(id string) bool { return len(only) == 0 || slices.Contains(only, id) }
	if slices.ContainsFunc(history.Invariants(), func(id string) bool { return history.Tried(id) && wanted(id) }) {
		if err := r.checkRecovery(); err != nil {
			return err
		}
	}
	r.printWoken(r.w.History())
	r.printVerdict(r.Violations, wanted, r.Undecided, r.monitor.Consequence())
	return nil
}

// recoveryWork is the cost of checking lock-recovers, beside replaying the run: see
// runner.work.
const recoveryWork = 500

// checkRecovery decides lock-recovers, and lost-wakeup where a client waits for a
// message, unless a violation of them is known.
func (r *runner) checkRecovery() error {
	if slices.ContainsFunc(r.Violations, func(v history.Violation) bool { return history.Tried(v.Invariant) }) {
		return nil
	}
	if err := r.work(len(r.w.History().Schedule) + recoveryWork); err != nil {
		return err
	}
	v, err := world.FindOrphan(r.on.ctx, r.w.History(), r.subject)
	if errors.Is(err, sim.ErrUndecided) {
		r.Undecided = lang.New("UNDECIDED %s", err)
		errors.As(err, &r.Stuck)
		return nil
	}
	if v == nil && err == nil && r.w.Listens() {
		v, err = world.FindLostWakeup(r.on.ctx, r.w.History(), r.subject)
	}
	if v != nil {
		r.Violations = append(r.Violations, *v)
	}
	return err
}

// printWoken says how many clients one event of a run woke, if they were several, and
// of a lock on ZooKeeper, if there was one.
func (r *runner) printWoken(h history.History) {
	switch woken, _ := wakes(h.Events); {
	case woken > 1:
		r.print(lang.New("one event woke %d clients", woken))
	case woken == 1 && history.StoreOf(h.Config.Key()) == "ZooKeeper":
		r.print(lang.New("each event woke one client at most"))
	}
}

func (r *runner) printVerdict(found []history.Violation, wanted func(string) bool, undecided, consequence lang.Message) {
	place := map[string]int{} // where a verdict is in the output
	for _, id := range history.Invariants() {
		for _, v := range found {
			if v.Invariant != id || !wanted(id) {
				continue
			}
			verdict := Verdict(v)
			at, known := place[verdict]
			if !known {
				at = len(r.output)
				place[verdict] = at
				r.output = append(r.output, history.Line{Apart: true, Broken: &v})
			}
			r.output[at].Times++
		}
	}
	switch {
	case !undecided.None() && (wanted(history.LockRecovers) || wanted(history.LostWakeup)):
		r.output = append(r.output, history.Line{Apart: true, Text: undecided, Undecided: true})
	case len(place) == 0:
		r.print(lang.New("HOLDS"))
	}
	r.print(consequence)
}
