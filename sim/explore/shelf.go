package explore

import (
	"context"

	"lockstep/sim/history"
)

// A Question is all that decides the report of a search besides the code of the lock
// and of Lockstep.
type Question struct {
	Lock   Lock
	Hazard Hazard // with the bounds
	Config history.Config
	First  bool // Options.First
}

// Promised reports whether the lock promises to endure the hazard. Where only one that renews
// does, probes show how it does.
func (q Question) Promised() (seen Renewal, ok bool) {
	if !q.Hazard.renews {
		return seen, true
	}
	seen = renewal(q.Lock.Subject, q.Config)
	return seen, seen.Every > 0
}

// Unanswered is the report on a question of which a limit left out all.
func (q Question) Unanswered(limit string) Report {
	return Report{Hazard: q.Hazard.ID, Server: q.Lock.Subject.Server, Config: q.Config, Bounds: q.Hazard.Bounds, Limit: limit}
}

// A Shelf holds reports of earlier searches.
type Shelf interface {
	// Find returns the report on a question, with Since set, if there is one and its
	// counterexamples violate what they violated.
	Find(ctx context.Context, q Question) (Report, bool)
	// Keep may keep the report of a search that has ended by itself. The zero Report takes
	// its place where a later search has shown that what was learned was wrong.
	Keep(q Question, r Report)
}

// Answer returns the report on a question: from a shelf, if it is there and there is a
// shelf, or else by exploring, and puts that on the shelf.
func (r *Row) Answer(ctx context.Context, s Shelf, q Question, o Options) (Report, error) {
	q.First = o.First
	if s != nil {
		if known, ok := s.Find(ctx, q); ok {
			return known, nil
		}
	}
	report, err := r.Explore(ctx, q.Hazard, q.Config, o)
	switch {
	case s == nil:
	case err != nil:
		for _, q := range r.kept {
			s.Keep(q, Report{})
		}
	case ctx.Err() == nil:
		s.Keep(q, report)
		r.kept = append(r.kept, q)
	}
	return report, err
}
