package cache

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"reflect"
	"slices"
	"time"

	"lockstep/internal/lang"
	"lockstep/scenarios"
	"lockstep/sim"
	"lockstep/sim/explore"
	"lockstep/sim/history"
	"lockstep/sim/model"
	"lockstep/sim/program"
)

// Verdicts keeps the reports of explorations in a store. It is an explore.Shelf.
type Verdicts struct {
	Store *Store
	// Code is the code that a lock's reports depend on, as a text that differs where
	// the code does; false if it is unknown, and nothing is found or kept.
	Code func(lock string) (string, bool)
	// Read, if not nil, is what the code of a lock has looked at; false if that is not
	// known, and what was found out about it may not be kept.
	Read func(lock string) (Read, bool)
	// Met, if not nil, is told what the code had looked at of which an answer was found.
	Met func(Read)
	// First means that of a report only the first counterexample is played again: it
	// suffices for the verdict, and for who shows no other.
	First bool
}

var _ explore.Shelf = (*Verdicts)(nil)

// An Answer is a report, with what else a trial of a lock knows by then.
type Answer struct {
	explore.Report
	Sampled int     // runs, where a limit ended the exploration
	Bound   float64 // of their probability
	program.Traits
	Adapted bool // the code was adapted; see the package guest
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
	asked, err := json.Marshal(struct {
		Hazard                      string
		Config                      history.Config
		Bounds                      explore.Bounds
		Server                      sim.Kind
		Nodes, Addresses            int
		Polls, Draws, Bubble, World bool
		Delays, Timeless            bool
		Enough                      bool
		Key                         string
		TTL                         map[string]history.Millis
	}{q.Hazard.ID, q.Config, bounds, s.Server, s.Nodes, s.Addresses, s.Polls, s.Draws, s.Start != nil, s.World != nil, s.Delays, s.Timeless, q.Enough, s.Key, s.TTL})
	if err != nil {
		return k, false
	}
	return KeyOf(append([]string{code, string(asked)}, more...)...), true
}

// Find is explore.Shelf's.
func (v *Verdicts) Find(ctx context.Context, q explore.Question) (explore.Report, bool) {
	a, ok := v.FindAnswer(ctx, q)
	return a.Report, ok
}

// Keep is explore.Shelf's.
func (v *Verdicts) Keep(q explore.Question, r explore.Report) { v.KeepAnswer(q, Answer{Report: r}) }

// Drop is explore.Shelf's.
func (v *Verdicts) Drop(q explore.Question) { v.DropAnswer(q) }

// DropAnswer drops an answer that was kept.
func (v *Verdicts) DropAnswer(q explore.Question, more ...string) {
	if v == nil || v.Store == nil {
		return
	}
	if k, ok := v.KeyOf(q, more...); ok {
		v.Store.Remove(k)
	}
}

// FindAnswer returns an answer whose counterexamples, played again, violate what they
// violated. One of which that is not so is no answer.
func (v *Verdicts) FindAnswer(ctx context.Context, q explore.Question, more ...string) (a Answer, ok bool) {
	if v == nil || v.Store == nil {
		return a, false
	}
	k, ok := v.KeyOf(q, more...)
	if !ok {
		return a, false
	}
	text, r, at, ok := v.Store.GetRead(k, maxAnswer)
	if !ok {
		return a, false
	}
	e, err := decode(text)
	if err != nil {
		return a, false
	}
	if a, ok = e.Answer(q, at); !ok {
		return a, false
	}
	if v.Met != nil {
		v.Met(r)
	}
	return a, Replay(ctx, &a.Report, v.First)
}

// KeepAnswer keeps an answer if the same search would give it anywhere.
func (v *Verdicts) KeepAnswer(q explore.Question, a Answer, more ...string) {
	if v == nil || v.Store == nil || !lasts(q, &a) {
		return
	}
	k, ok := v.KeyOf(q, more...)
	if !ok {
		return
	}
	r := ReadNow(nil)
	if v.Read != nil {
		r, ok = v.Read(q.Lock.ID)
	}
	if text, err := json.Marshal(NewStored(&a)); ok && err == nil && len(text) <= maxAnswer {
		_ = v.Store.PutRead(k, r, text) // without it, that is found out again
	}
}

// lasts reports whether an answer is that of every search for it: the limits on states
// and on actions are, as they count what is found. Memory depends on what a search has
// learned for others, real time on the machine, an interrupt on a person.
func lasts(q explore.Question, a *Answer) bool {
	switch a.Limit {
	case "", "states", "depth", explore.FirstViolation:
	default:
		return false
	}
	r := &a.Report
	return r.Since.IsZero() && r.Trouble.None() && r.Hazard == q.Hazard.ID && r.Server == q.Lock.Subject.Server &&
		reflect.DeepEqual(r.Config, q.Config) && reflect.DeepEqual(r.Bounds, q.Hazard.Bounds)
}

// The bounds of what is read.
const (
	maxAnswer = 1 << 20 // bytes
	maxItems  = 100     // of a list
)

// A Stored is an answer in a file. What the question determines is not in it.
type Stored struct {
	States, Transitions, Depth, Bytes int
	ClientRuns, NodeRuns              int
	Limit                             string         `json:",omitempty"`
	Found                             []storedFound  `json:",omitempty"`
	Spins                             []model.Spin   `json:",omitempty"`
	Counts                            explore.Counts // of events
	Merging                           model.Merging
	Sampled                           int     `json:",omitempty"`
	Bound                             float64 `json:",omitempty"`
	Traits                            program.Traits
	Adapted                           bool `json:",omitempty"`
}

// A storedFound is a counterexample, its schedule as text.
type storedFound struct {
	Schedule  string
	Violation history.Violation
	Shortest  bool `json:",omitempty"`
	Point     int  `json:",omitempty"`
}

// NewStored returns what of an answer a file has to have.
func NewStored(a *Answer) *Stored {
	e := &Stored{
		a.States, a.Transitions, a.Depth, a.Bytes, a.ClientRuns, a.NodeRuns, a.Limit, nil, a.Spins, a.Counts, a.Merging, a.Sampled, a.Bound, a.Traits, a.Adapted,
	}
	for _, f := range a.Found {
		e.Found = append(e.Found, storedFound{f.Schedule.String(), f.Violation, f.Shortest, f.Point})
	}
	return e
}

// decode reads what was stored, and refuses all else.
func decode(text []byte) (*Stored, error) {
	in := json.NewDecoder(bytes.NewReader(text))
	in.DisallowUnknownFields()
	e := &Stored{}
	if err := in.Decode(e); err != nil {
		return nil, err
	}
	if _, err := in.Token(); err != io.EOF {
		return nil, errNot
	}
	return e, e.Check()
}

// Check returns an error for what no search reports.
func (e *Stored) Check() error {
	least := slices.Min([]int{e.States, e.Transitions, e.Depth, e.Bytes, e.ClientRuns, e.NodeRuns, e.Sampled})
	if least < 0 || len(e.Found) > maxItems || len(e.Spins) > maxItems || len(e.Counts.Faults) > maxItems {
		return errNot
	}
	return nil
}

var errNot = lang.Errorf("it is no entry of the cache")

// Answer is what was stored, as the report on a question; false if it cannot be one.
func (e *Stored) Answer(q explore.Question, at time.Time) (Answer, bool) {
	r := explore.Report{
		Hazard: q.Hazard.ID, Config: q.Config, Server: q.Lock.Subject.Server, Bounds: q.Hazard.Bounds,
		States: e.States, Transitions: e.Transitions, Depth: e.Depth, Bytes: e.Bytes, Limit: e.Limit,
		Spins: e.Spins, Counts: e.Counts, ClientRuns: e.ClientRuns, NodeRuns: e.NodeRuns, Merging: e.Merging, Since: at,
	}
	for _, f := range e.Found {
		schedule, err := history.ParseSchedule(f.Schedule)
		if err != nil {
			return Answer{}, false
		}
		r.Found = append(r.Found, explore.Found{Violation: f.Violation, Schedule: schedule, Shortest: f.Shortest, Point: f.Point})
	}
	return Answer{r, e.Sampled, e.Bound, e.Traits, e.Adapted}, true
}

// Replay plays the counterexamples, or the first, each schedule once, within the bounds, and
// compares what they violate.
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
			var err error
			if run, err = scenarios.ReplayIf(ctx, a.Config, f.Schedule, a.Refuses(f.Schedule)); err != nil || run.Stuck != nil {
				return false
			}
			runs[schedule] = run
		}
		v, ok := run.Violation(f.Violation.Invariant)
		if !ok || !same(f.Violation, v) {
			return false
		}
		f.Violation.Detail = v.Detail // in every language
	}
	return true
}

// same compares a search's violation with a run's, which also knows the events, and the
// client of a lock that nobody releases.
func same(searched, run history.Violation) bool {
	return searched.Invariant == run.Invariant && searched.Other == run.Other && searched.Key == run.Key &&
		searched.Detail.String() == run.Detail.String() && (searched.Client == "" || searched.Client == run.Client)
}
