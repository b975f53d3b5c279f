package explain

import (
	"errors"
	"fmt"
	"slices"

	"lockstep/internal/lang"
	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/program"
	"lockstep/sim/world"
)

// A Remedy is a change with which the whole schedule does not violate the
// invariant, nor any that the run keeps, although the violation's client comes as far
// and all faults happen. Beyond that schedule it says nothing, but for Falls and
// Explored.
type Remedy struct {
	Lease history.Millis `json:"lease,omitempty"` // the length of the leases; no fewer whole seconds suffice
	Lock  string         `json:"lock,omitempty"`  // another lock
	// Falls is a longer pause, in place of that of the run, with which the longer
	// lease does not help; it was played. 0 is none.
	Falls history.Millis `json:"-"`
	// Explored is what an exploration of all schedules of the other lock has found,
	// under the hazards of the run; nil if there was none.
	Explored *Exploration `json:"-"`
	// Renewed says that the lock's background tasks went on whenever time
	// passed, while all else stood still as in the run.
	Renewed  bool `json:"renewed,omitempty"`
	Replayed `json:"-"`
}

// An Alternative is another lock, which may do better on the run's schedule.
type Alternative struct {
	ID      string
	Subject program.Subject
	Updates bool // it guards the resource without a lock
	// Explored is known of some invariants.
	Explored map[string]Exploration
}

// An Exploration is the result of an exploration for one invariant.
type Exploration struct {
	Holds  bool   // no schedule within the bounds violates it
	Hazard string // the hazard; of several, if it does not hold, the first that violates it
}

// rank sorts locks as remedies: proven ones first, those with a counterexample last.
func (f *finder) rank(l Alternative) int {
	switch e, known := l.Explored[f.v.Invariant]; {
	case !known:
		return 1
	case e.Holds:
		return 0
	}
	return 2
}

// remedies looks for a lease that is long enough, for a lock that renews its
// leases if one of them ended, and for the first lock that does better. It gives
// up what would take too long to try.
func (f *finder) remedies(causes []Cause) ([]Remedy, error) {
	f.worked = 0
	var found []Remedy
	add := func(r *Remedy, err error) (bool, error) {
		if r != nil {
			found = append(found, *r)
		}
		if errors.Is(err, ErrTooLong) {
			return true, nil
		}
		return r != nil, err
	}
	kinds, pause := map[CauseKind]bool{}, -1
	for _, c := range causes {
		kinds[c.Kind] = true
		if (c.Kind == Lease || c.Kind == Time) && f.full[c.Action].Verb == history.Advance {
			pause = c.Action
		}
	}
	if pause >= 0 && f.v.Invariant != history.Leak && f.leasesAsConfigured() { // what is left behind should not last longer
		if _, err := add(f.longEnough(pause)); err != nil {
			return nil, err
		}
	}
	if f.v.Invariant == history.Panics || f.v.Invariant == history.BlockedForever {
		return found, nil // no lock of the catalogue does, which says nothing about this one
	}
	locks := slices.Clone(f.locks())
	slices.SortStableFunc(locks, func(a, b Alternative) int { return f.rank(a) - f.rank(b) })
	for _, renewed := range []bool{true, false} {
		for _, l := range locks {
			if renewed && !kinds[Lease] {
				break
			}
			// Of locks on ZooKeeper one sends more requests than another, so that the same
			// steps end before the violation: only an exploration tells.
			if f.subject.Server == sim.ZooKeeper && !l.Explored[f.v.Invariant].Holds {
				continue
			}
			if done, err := add(f.with(l, renewed)); err != nil {
				return nil, err
			} else if done {
				break
			}
		}
	}
	rank := func(r Remedy) int { // proven ones first
		if r.Explored != nil && r.Explored.Holds {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(found, func(a, b Remedy) int { return rank(a) - rank(b) })
	return found, nil
}

// longest bounds a remedy's lease, as a multiple of the run's.
const longest = 64

// leasesAsConfigured reports whether the leases that expired in the run had the
// configured length. A lock that confuses units has others.
func (f *finder) leasesAsConfigured() bool {
	given := map[history.Millis]history.Millis{} // when, by deadline
	for _, e := range f.history.Events[:f.v.Seq+1] {
		for _, c := range e.Changes {
			if c.Key != f.history.Config.Key() {
				continue
			}
			if e.Kind == history.Expire && c.Before != nil && c.Before.Deadline-given[c.Before.Deadline] > f.history.Config.TTL {
				return false
			}
			if c.After != nil && (c.Before == nil || c.Before.Deadline != c.After.Deadline) {
				given[c.After.Deadline] = e.At
			}
		}
	}
	return true
}

// longEnough returns the shortest lease of whole seconds that saves the run; nil
// if there is none. pause is the action during which the lease ended.
func (f *finder) longEnough(pause int) (best *Remedy, err error) {
	own := f.history.Config.TTL / history.Second
	try := func(seconds history.Millis) bool {
		config := f.history.Config
		config.TTL = seconds * history.Second
		if err != nil || config.Check() != nil {
			return false
		}
		var r *Remedy
		if r, err = f.saved("same", config, f.subject, f.sameSchedule); r != nil {
			r.Lease, best = config.TTL, r
		}
		return r != nil
	}
	short, long := own, own+1
	for !try(long) {
		if short, long = long, 2*long; long > max(1, own)*longest || err != nil {
			return nil, err
		}
	}
	for long-short > 1 {
		if middle := (short + long) / 2; try(middle) {
			long = middle
		} else {
			short = middle
		}
	}
	if err == nil {
		best.Falls, err = f.falls(best.Lease, pause)
	}
	return best, err
}

// falls plays the run with a lease and with a pause that is longer by as much, and
// returns that pause if the invariant is violated again; 0 if it is not.
func (f *finder) falls(lease history.Millis, pause int) (history.Millis, error) {
	config, longer := f.history.Config, slices.Clone(f.full)
	config.TTL = lease
	longer[pause].By += lease
	o, err := f.outcome(fmt.Sprint("longer ", pause), config, f.subject, func(w *world.World) ([]int, error) { return f.schedule(w, longer) })
	if err != nil || o == nil {
		return 0, err
	}
	if f.violated(o) {
		return longer[pause].By, nil
	}
	return 0, nil
}

// with returns another lock as a remedy; nil if it does not save the run.
func (f *finder) with(l Alternative, renewed bool) (*Remedy, error) {
	config := f.history.Config
	byResource := f.v.Invariant == history.StaleWrite || f.v.Invariant == history.LostUpdate
	if l.ID == config.Strategy || l.Updates && !byResource {
		return nil, nil
	}
	config.Strategy = l.ID
	r, err := f.saved(fmt.Sprint(l.Updates, renewed), config, l.Subject, func(w *world.World) ([]int, error) {
		return f.alongside(w, l.Updates, renewed)
	})
	if r == nil || renewed && !slices.ContainsFunc(r.Played.Events, func(e history.Event) bool { return e.Strand > 0 && f.renews(e) }) {
		return nil, err
	}
	r.Lock, r.Renewed = l.ID, renewed
	if e, known := l.Explored[f.v.Invariant]; known {
		r.Explored = &e
	}
	return r, err
}

// errNotThis is the error for a schedule with a fault that is impossible in
// another world.
var errNotThis = lang.Errorf("not the same schedule")

// saved plays the schedule in another world and returns the remedy if the
// invariant holds there. For how and play see outcome.
func (f *finder) saved(how string, config history.Config, subject program.Subject, play func(*world.World) ([]int, error)) (*Remedy, error) {
	o, err := f.outcome(how, config, subject, play)
	if err != nil || o == nil || f.violated(o) || !f.tried && !f.reached(o.history.Events, o.goesOn) || f.brought(o.violations) != nil {
		return nil, err
	}
	return &Remedy{Replayed: f.replayed(o.history, o.ends)}, nil
}

// violated reports whether the invariant is violated in another world.
func (f *finder) violated(o *outcome) bool {
	return f.tried && !o.recovers || history.FirstOf(o.violations, f.v.Invariant) >= 0
}

// An outcome is the schedule as it went in another world.
type outcome struct {
	history    history.History
	ends       []int // how many events there are after each action
	violations []history.Violation
	goesOn     map[string]bool // the clients that can take a step at its end, or wait for time
	recovers   bool            // all ends well; set only if it was checked
}

// outcome plays the schedule in another world, once for all violations of the run. It
// returns nil if the schedule is impossible there. play returns how many events there
// are after each action; how is a name for the way it plays.
func (f *finder) outcome(how string, config history.Config, subject program.Subject, play func(*world.World) ([]int, error)) (*outcome, error) {
	if err := f.work(len(f.full)); err != nil {
		return nil, err
	}
	key := fmt.Sprint(how, " ", f.tried, " ", config)
	if f.v.Invariant == history.LostWakeup {
		key += " " + f.v.Client
	}
	if o, known := f.played[key]; known {
		return o, nil
	}
	w, err := f.enter(config, subject)
	if err != nil {
		return nil, err
	}
	defer w.Close()
	ends, err := play(w)
	if errors.Is(err, errNotThis) || errors.Is(err, world.ErrTooLong) {
		f.played[key] = nil
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	o := &outcome{history: w.History(), ends: ends, goesOn: goOn(w)}
	o.violations = history.Check(o.history)
	if f.tried {
		if o.recovers, err = f.ends(w); err != nil {
			return nil, err
		}
	}
	f.played[key] = o
	return o, nil
}

// instead returns the counterpart, in a replay, of the event that did the harm,
// given the number of events by then: the end of the client's operation, its
// command or its write; -1 for none.
func (f *finder) instead(events []history.Event, harm int) int {
	did := f.history.Events[f.v.Seq]
	mine := func(e history.Event) bool { return e.Client == did.Client && e.Strand == did.Strand }
	fits := ends
	switch f.v.Invariant {
	case history.PhantomHold, history.LockRecovers, history.LostWakeup:
		return -1
	case history.ForeignRelease, history.ForeignRenewal, history.EqualTokens:
		for harm > 0 && harm < len(events) && !(mine(events[harm-1]) && ends(events[harm-1])) {
			harm++ // to the end of the operation
		}
		op := opOf(f.history.Events, did)
		fits = func(e history.Event) bool {
			return e.Kind == history.Apply && e.Node == did.Node && opOf(events, e) == op
		}
	case history.StaleWrite, history.LostUpdate:
		fits = func(e history.Event) bool { return writes(e) || ends(e) }
	}
	for _, e := range slices.Backward(events[:harm]) {
		if mine(e) && fits(e) {
			return e.Seq
		}
	}
	return -1
}

// opOf returns the operation that a command belongs to.
func opOf(events []history.Event, e history.Event) string {
	for _, begun := range slices.Backward(events[:e.Seq]) {
		if begun.Kind == history.Invoke && begun.Call == e.During {
			return begun.Op
		}
	}
	return ""
}

// sameSchedule plays the schedule with the same lock. It leaves out steps that
// have become impossible, but no fault.
func (f *finder) sameSchedule(w *world.World) (ends []int, err error) { return f.schedule(w, f.full) }

func (f *finder) schedule(w *world.World, s history.Schedule) (ends []int, err error) {
	for _, a := range s {
		switch {
		case w.Refusal(a).No():
			if err := w.Perform(a); err != nil {
				return nil, err
			}
		case !steps(a):
			return nil, errNotThis
		}
		ends = append(ends, len(w.History().Events))
	}
	return ends, nil
}
