// Package explain says why a violation happened, from the run itself: it plays
// the run again with something left out or put off, and keeps what makes the
// difference. It knows no lock and no invariant's usual reasons.
package explain

import (
	"cmp"
	"context"
	"slices"

	"lockstep/sim"
	"lockstep/sim/history"
)

// A Cause is something in a run without which, all else played as before, a
// violation does not happen, although whoever it concerns comes as far.
type Cause struct {
	Kind   Kind   `json:"kind"`
	Action int    `json:"action"`           // of the schedule, from 0
	Seq    int    `json:"seq"`              // the event that shows it
	Client string `json:"client,omitempty"` // whose action it is, or whose lease ended
}

// Kind says how a cause was tried.
type Kind string

// The kinds of causes.
const (
	Fault Kind = "fault" // it was left out
	Time  Kind = "time"  // time did not pass
	Lease Kind = "lease" // a lease that ended in this run was so long that it did not
	Order Kind = "order" // a client's action, and all that it did after it, came later than the harm
)

// Causes are what a violation depends on.
type Causes struct {
	// Each of All is needed: without any one of them the violation is gone. They
	// are in the order of the run.
	All []Cause
	// Either is set where none is needed, but two of them together are: one of
	// the two would have done.
	Either bool
}

// Find plays the run of h again, up to where v is known, once for everything
// that may be left out of it. Nothing is found where the violation is the doing
// of the client's own code alone. h is what the schedule of a world led to, with
// nothing missing.
func Find(ctx context.Context, h history.History, subject sim.Subject, v history.Violation) (Causes, error) {
	f, err := newFinder(ctx, h, subject, v)
	if err != nil || v.FromTheStart() {
		return Causes{}, err
	}
	var found []Cause
	candidates := f.candidates()
	for _, c := range candidates {
		gone, err := f.without(c)
		if err != nil {
			return Causes{}, err
		}
		if gone && !f.saidBy(found, c) {
			found = append(found, c)
		}
	}
	if len(found) == 0 {
		pair, err := f.pair(candidates)
		return Causes{pair, len(pair) > 0}, err
	}
	slices.SortStableFunc(found, func(a, b Cause) int { return cmp.Compare(a.Action, b.Action) })
	return Causes{All: found}, nil
}

// saidBy says whether a cause adds nothing to those that were found. They come
// in an order in which the more telling is first: of what one client did the
// latest that is needed says it all; and that a lease ended says more than
// that time passed.
func (f *finder) saidBy(found []Cause, c Cause) bool {
	return slices.ContainsFunc(found, func(b Cause) bool {
		switch c.Kind {
		case Order:
			return b.Kind == Order && b.Client == c.Client
		case Time:
			return b.Kind == Lease
		}
		return false
	})
}

// pair finds two candidates of which either would have done.
func (f *finder) pair(candidates []Cause) ([]Cause, error) {
	tries := 0
	for i, a := range candidates {
		for _, b := range candidates[i+1:] {
			if a.Kind == Order && b.Kind == Order && a.Client == b.Client {
				continue
			}
			if tries++; tries > maxPairs {
				return nil, nil
			}
			gone, err := f.without(a, b)
			if err != nil {
				return nil, err
			}
			if gone {
				pair := []Cause{a, b}
				slices.SortFunc(pair, func(a, b Cause) int { return cmp.Compare(a.Action, b.Action) })
				return pair, nil
			}
		}
	}
	return nil, nil
}

// maxPairs bounds how many pairs are tried.
const maxPairs = 400
