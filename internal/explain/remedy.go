package explain

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"lockstep/internal/lang"
	"lockstep/sim/history"
	"lockstep/sim/program"
	"lockstep/sim/world"
)

// A Remedy is a change with which the whole schedule does not violate the
// invariant, although the violation's client comes as far and all faults happen.
type Remedy struct {
	Lease history.Millis `json:"lease,omitempty"` // the length of the leases; no fewer whole seconds suffice
	Lock  string         `json:"lock,omitempty"`  // another lock
	// Renewed says that the lock's background tasks went on whenever time
	// passed, while all else stood still as in the run.
	Renewed  bool `json:"renewed,omitempty"`
	Replayed `json:"-"`
}

// A Lock is another lock, which may do better on the run's schedule.
type Lock struct {
	ID      string
	Subject program.Subject
	Updates bool // it guards the resource without a lock
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
	kinds := map[Kind]bool{}
	for _, c := range causes {
		kinds[c.Kind] = true
	}
	if kinds[Lease] || kinds[Time] {
		if _, err := add(f.longEnough()); err != nil {
			return nil, err
		}
	}
	for _, renewed := range []bool{true, false} {
		for _, l := range f.locks {
			if renewed && !kinds[Lease] {
				break
			}
			if done, err := add(f.with(l, renewed)); err != nil {
				return nil, err
			} else if done {
				break
			}
		}
	}
	return found, nil
}

// longest bounds a remedy's lease, as a multiple of the run's.
const longest = 64

// longEnough returns the shortest lease of whole seconds that saves the run; nil
// if there is none.
func (f *finder) longEnough() (best *Remedy, err error) {
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
	return best, err
}

// with returns another lock as a remedy; nil if it does not save the run.
func (f *finder) with(l Lock, renewed bool) (*Remedy, error) {
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
	return r, err
}

// errNotThis is the error for a schedule with a fault that is impossible in
// another world.
var errNotThis = lang.Errorf("not the same schedule")

// saved plays the schedule in another world and returns the remedy if the
// invariant holds there. play returns how many events there are after each
// action; how is a name for the way it plays.
func (f *finder) saved(how string, config history.Config, subject program.Subject, play func(*world.World) ([]int, error)) (*Remedy, error) {
	if err := f.work(len(f.full)); err != nil {
		return nil, err
	}
	asked := f.v.Invariant == history.LockRecovers
	key := fmt.Sprint(how, " ", asked, " ", config)
	o, known := f.played[key]
	if !known {
		var err error
		if o, err = f.outcome(config, subject, play, asked); err != nil {
			return nil, err
		}
		f.played[key] = o
	}
	switch {
	case o == nil, asked && !o.recovers:
		return nil, nil
	case asked:
	case slices.ContainsFunc(o.violations, func(v history.Violation) bool { return v.Invariant == f.v.Invariant }), !f.reached(o.history.Events, o.goesOn):
		return nil, nil
	}
	return &Remedy{Replayed: f.replayed(o.history, o.ends)}, nil
}

// An outcome is the schedule as it went in another world.
type outcome struct {
	history    history.History
	ends       []int // how many events there are after each action
	violations []history.Violation
	goesOn     map[string]bool // the clients that can take a step at its end, or wait for time
	recovers   bool            // set only if it was checked
}

// outcome plays the schedule in another world. It returns nil if the schedule is
// impossible there.
func (f *finder) outcome(config history.Config, subject program.Subject, play func(*world.World) ([]int, error), asked bool) (*outcome, error) {
	w, err := world.New(config, subject)
	if err != nil {
		return nil, err
	}
	defer w.Close()
	w.Within(f.ctx)
	ends, err := play(w)
	if errors.Is(err, errNotThis) || errors.Is(err, world.ErrTooLong) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	o := &outcome{history: w.History(), ends: ends, goesOn: goOn(w)}
	o.violations = history.Check(o.history)
	if asked {
		o.recovers, err = recovers(w)
	}
	return o, err
}

// instead returns the counterpart, in a replay, of the event that did the harm,
// given the number of events by then: the end of the client's operation, its
// command or its write; -1 for none.
func (f *finder) instead(events []history.Event, harm int) int {
	did := f.history.Events[f.v.Seq]
	mine := func(e history.Event) bool { return e.Client == did.Client && e.Strand == did.Strand }
	fits := ends
	switch f.v.Invariant {
	case history.PhantomHold, history.LockRecovers:
		return -1
	case history.ForeignRelease, history.ForeignRenewal:
		for harm > 0 && harm < len(events) && !(mine(events[harm-1]) && ends(events[harm-1])) {
			harm++ // to the end of the operation
		}
		fits = func(e history.Event) bool {
			return e.Kind == history.Apply && e.Node == did.Node && !strings.HasPrefix(e.Reply, "(error)")
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

// sameSchedule plays the schedule with the same lock. It leaves out steps that
// have become impossible, but no fault.
func (f *finder) sameSchedule(w *world.World) (ends []int, err error) {
	for _, a := range f.full {
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
