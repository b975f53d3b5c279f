// Package explain says why a violation happened, from the run itself: it plays
// the run again with something left out or put off, and keeps what makes the
// difference. It knows no lock and no invariant's usual reasons.
package explain

import (
	"cmp"
	"slices"

	"lockstep/internal/lang"
	"lockstep/sim/history"
)

// A Cause is something in a run without which, all else played as before, a
// violation does not happen, although whoever it concerns comes as far.
type Cause struct {
	Kind   Kind   `json:"kind"`
	Action int    `json:"action"`           // of the schedule, from 0
	Seq    int    `json:"seq"`              // the event that shows it
	Strand int    `json:"thread,omitempty"` // of the client
	Client string `json:"client,omitempty"` // whose action it is, or whose lease ended
	// Either is set for two causes of which one would have done: the violation
	// is gone only without both.
	Either bool `json:"either,omitempty"`
	// Renews is a command of a Renewal, as it is sent again and again after the run.
	Renews history.Event `json:"-"`
}

// Kind says how a cause was tried.
type Kind string

// The kinds of causes.
const (
	Fault Kind = "fault" // it was left out
	Time  Kind = "time"  // time did not pass
	Lease Kind = "lease" // the leases of a client, of which one ended in this run, were so long that they did not
	// Renewal is tried where a lock does not recover: nobody did anything until its
	// lease was over.
	Renewal Kind = "renewal"
	Order   Kind = "order" // a client's action, and all that it did after it, came later than the harm
)

// find returns what the violation depends on, in the order of the run. Nothing
// is found where it is the doing of the code of the lock alone.
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

// befalls says whether a cause is what befell somebody, and not only the order
// in which things were done.
func befalls(c Cause) bool { return c.Kind == Fault || c.Kind == Lease }

// addsNothing says whether a cause would add nothing to those that were found. They
// come in an order in which the more telling is first: of what one client did
// the latest that is needed says it all, and what befell somebody says more than
// that time passed.
func addsNothing(found []Cause, c Cause) bool {
	return slices.ContainsFunc(found, func(b Cause) bool {
		switch c.Kind {
		case Order:
			return b.Kind == Order && b.Client == c.Client
		case Lease:
			return b.Kind == Lease && b.Client == c.Client // on another node, or another one of its leases
		case Time:
			return befalls(b)
		}
		return false
	})
}

// ErrTooLong says that a run has too many steps for each of them to be tried.
var ErrTooLong = lang.Errorf("the run is too long to be played again without each of its steps")

// MaxWork is how many actions are played for one violation at most: about a second of work.
const MaxWork = 100_000

// pair finds two of what befell somebody of which either would have done.
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
