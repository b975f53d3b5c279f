// Package explain says why a violation happened. It replays the run with a step
// left out or put off and keeps the steps that make a difference. It knows no
// lock, and no usual reasons for an invariant's violation.
package explain

import (
	"cmp"
	"slices"

	"lockstep/internal/lang"
	"lockstep/sim/history"
)

// A Cause is a part of a run that a violation depends on: without it, and all
// else played as before, the violation has not happened by that point, although
// its client comes as far.
type Cause struct {
	Kind   CauseKind `json:"kind"`
	Action int       `json:"action"`           // of the schedule, from 0
	Seq    int       `json:"seq"`              // the event that shows it
	Strand int       `json:"thread,omitempty"` // of the client
	Client string    `json:"client,omitempty"` // who acted, or whose lease ended
	// Either is set for two causes of which either suffices: the violation is
	// gone only without both.
	Either bool `json:"either,omitempty"`
	// Delays is set if the violation happens all the same when the rest of the run is
	// played without the cause, only later.
	Delays bool `json:"-"`
	// Renews is the command of a Renewal, which is sent again and again after
	// the run.
	Renews history.Event `json:"-"`
}

// CauseKind says how a cause was tried.
type CauseKind string

// The kinds of causes.
const (
	Fault CauseKind = "fault" // it was left out; a message went through at the moment at which it was lost or late
	Time  CauseKind = "time"  // time did not pass
	Lease CauseKind = "lease" // a client's leases, of which one ended in this run, were too long to end
	// Renewal is tried where a lock does not recover: nobody acted until its
	// lease had ended.
	Renewal CauseKind = "renewal"
	Order   CauseKind = "order" // a client's action, and all it did after it, came after the harm
)

// find returns the causes in the order of the run. There are none where the
// lock's code violates the invariant whatever the schedule.
func (f *finder) find() ([]Cause, error) {
	var found []Cause
	candidates := f.candidates()
	for _, c := range candidates {
		if addsNothing(found, c) {
			continue
		}
		gone, err := f.without(c)
		if err != nil {
			return nil, err
		}
		if gone {
			found = append(found, c)
		}
	}
	if !slices.ContainsFunc(found, befalls) {
		pair, err := f.pair(slices.DeleteFunc(candidates, func(c Cause) bool { return !befalls(c) }))
		if err != nil {
			return nil, err
		}
		found = append(found, pair...)
	}
	renewals, err := f.renewals()
	if err != nil {
		return nil, err
	}
	found = append(found, renewals...)
	slices.SortStableFunc(found, func(a, b Cause) int { return cmp.Compare(a.Action, b.Action) })
	return found, nil
}

// befalls reports whether a cause is a fault or the end of a lease, and not only
// an order of steps.
func befalls(c Cause) bool { return c.Kind == Fault || c.Kind == Lease }

// addsNothing reports whether the causes found already say what a cause would.
// Candidates come with the more telling ones first: of one client's steps the
// latest that is needed says enough, and a fault or a lease says more than that
// time passed.
func addsNothing(found []Cause, c Cause) bool {
	return slices.ContainsFunc(found, func(b Cause) bool {
		switch c.Kind {
		case Order:
			return b.Kind == Order && b.Client == c.Client
		case Lease:
			return b.Kind == Lease && b.Client == c.Client // on another node, or of another lease
		case Time:
			return befalls(b)
		}
		return false
	})
}

// ErrTooLong is the error for a run with too many steps to try each.
var ErrTooLong = lang.Errorf("the run is too long to be played again without each of its steps")

// MaxWork bounds the actions that are played for one violation: about a second
// of work.
const MaxWork = 100_000

// pair finds two causes of which either suffices.
func (f *finder) pair(list []Cause) ([]Cause, error) {
	for i, a := range list {
		for _, b := range list[i+1:] {
			gone, err := f.without(a, b)
			if err != nil {
				return nil, err
			}
			if gone {
				a.Either, b.Either = true, true
				return []Cause{b, a}, nil
			}
		}
	}
	return nil, nil
}
