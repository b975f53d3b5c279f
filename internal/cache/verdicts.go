package cache

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"lockstep/scenarios"
	"lockstep/sim/explore"
	"lockstep/sim/history"
	"lockstep/sim/program"
)

// Verdicts keeps the reports of explorations in a store. It is an explore.Shelf. Nil keeps none.
type Verdicts struct {
	Store *Store
	// Held, if not nil, has the answers in place of the Store, as they are.
	Held map[Key]Answer
	// Code is the code that a lock's reports depend on, as a text that differs where
	// the code does; false if it is unknown, and nothing is found or kept.
	Code func(lock string) (string, bool)
	// Read, if not nil, is what the code of a lock has looked at; false if that is not
	// known, and what was found out about it may not be kept.
	Read func(lock string) (Read, bool)
	// First means that of a report only the first counterexample is played again: it
	// suffices for the verdict, and for who shows no other.
	First bool
}

var _ explore.Shelf = (*Verdicts)(nil)

// An Answer is a report, with what else a trial of a lock knows by then.
type Answer struct {
	explore.Report
	Sampled int     `json:",omitempty"` // runs, where a limit ended the exploration
	Bound   float64 `json:",omitempty"` // of their probability
	program.Traits
	Adapted bool `json:",omitempty"` // the code was adapted; see the package guest
}

// KeyOf returns the key of a question, and of what else decides the answer; false if
// the lock's code is unknown. All of the fields of a Config and of Bounds are in it.
func (v *Verdicts) KeyOf(q explore.Question, more ...string) (k Key, ok bool) {
	code, ok := v.Code(q.Lock.ID)
	if !ok {
		return k, false
	}
	s, bounds := q.Lock.Subject, q.Hazard.Bounds
	bounds.Memory = 0 // what it ended is not kept, and what it did not is the same with any
	bubble, world := s.Start != nil, s.World != nil
	s.New, s.Start, s.World = nil, nil, nil // these are the code
	asked := fmt.Sprintf("%q %#v %#v %#v %t %t %t", q.Hazard.ID, q.Config, bounds, s, bubble, world, q.First)
	return KeyOf(append([]string{code, asked}, more...)...), true
}

// Find is explore.Shelf's.
func (v *Verdicts) Find(ctx context.Context, q explore.Question) (explore.Report, bool) {
	a, ok := v.FindAnswer(ctx, q)
	return a.Report, ok
}

// Keep is explore.Shelf's.
func (v *Verdicts) Keep(q explore.Question, r explore.Report) { v.KeepAnswer(q, Answer{Report: r}) }

// Holds reports whether all answers are kept, whether or not another search would find them.
func (v *Verdicts) Holds() bool { return v != nil && v.Held != nil }

// key is KeyOf where there is something to find and to keep.
func (v *Verdicts) key(q explore.Question, more []string) (k Key, ok bool) {
	if v == nil || v.Store == nil && !v.Holds() {
		return k, false
	}
	return v.KeyOf(q, more...)
}

// FindAnswer returns an answer whose counterexamples, played again, violate what they
// violated. One of which that is not so is no answer.
func (v *Verdicts) FindAnswer(ctx context.Context, q explore.Question, more ...string) (a Answer, ok bool) {
	k, ok := v.key(q, more)
	if !ok {
		return a, false
	}
	if v.Holds() {
		a, ok = v.Held[k]
		return a, ok && a.isOf(q)
	}
	e, ok := v.Store.get(k)
	if !ok {
		return a, false
	}
	a = e.Answer
	a.Since, a.Bounds.Memory = e.At, q.Hazard.Bounds.Memory
	return a, Replay(ctx, &a.Report, v.First)
}

// KeepAnswer keeps an answer, in a store only if the same search would give it anywhere. What
// is no answer to the question, as the zero Answer, takes the place of one that was kept.
func (v *Verdicts) KeepAnswer(q explore.Question, a Answer, more ...string) {
	k, ok := v.key(q, more)
	if !ok {
		return
	}
	if v.Holds() {
		if a.Limit != explore.OutOfMemory { // it made no difference
			a.Bounds.Memory = 0
		}
		v.Held[k] = a
		return
	}
	r := ReadNow(nil)
	if v.Read != nil {
		r, ok = v.Read(q.Lock.ID)
	}
	switch {
	case !a.isOf(q):
		v.Store.remove(k)
	case ok && a.lasts():
		_ = v.Store.put(k, r, a) // without it, that is found out again
	}
}

// isOf reports whether an answer is one to a question. The lock's own key may have been found
// since it was asked.
func (a *Answer) isOf(q explore.Question) bool {
	bounds := q.Hazard.Bounds
	bounds.Memory, q.Config.LockKey = a.Bounds.Memory, a.Config.LockKey
	return a.Hazard == q.Hazard.ID && a.Server == q.Lock.Subject.Server && reflect.DeepEqual(a.Config, q.Config) && reflect.DeepEqual(a.Bounds, bounds)
}

// lasts reports whether an answer is that of every search for it: the limits on states
// and on actions are, as they count what is found. Memory depends on what a search has
// learned for others, real time on the machine, an interrupt on a person.
func (a *Answer) lasts() bool {
	return slices.Contains([]string{"", "states", "depth", explore.FirstViolation}, a.Limit) && a.Since.IsZero() && a.Trouble.None()
}

// Replay plays the counterexamples, or the first, each schedule once, within the bounds, and
// compares what they violate. What no token can say is not played.
func Replay(ctx context.Context, a *explore.Report, first bool) bool {
	runs := map[string]*scenarios.Result{}
	for i := range a.Found {
		f := &a.Found[i]
		schedule := f.Schedule.String()
		run := runs[schedule]
		switch {
		case run != nil:
		case first && i > 0:
			continue
		default:
			config, _, err := history.ParseToken(history.Token(a.Config, f.Schedule))
			if err == nil {
				run, err = scenarios.ReplayIf(ctx, config, f.Schedule, a.Refuses(f.Schedule))
			}
			if err != nil || run.Stuck != nil {
				return false
			}
			runs[schedule] = run
		}
		// The run may violate the invariant by others before. It also knows the events, and the
		// client of a lock that nobody releases.
		at := slices.IndexFunc(run.Violations, func(v history.Violation) bool {
			s := f.Violation
			return s.Invariant == v.Invariant && s.Other == v.Other && s.Key == v.Key && s.Detail.String() == v.Detail.String() && (s.Client == "" || s.Client == v.Client)
		})
		if at < 0 {
			return false
		}
		f.Violation.Detail = run.Violations[at].Detail // in every language
	}
	return true
}
