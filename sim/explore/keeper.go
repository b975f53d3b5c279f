package explore

import (
	"context"
	"time"

	"lockstep/internal/lang"
	"lockstep/sim/model"
)

// A Keeper keeps what searches have learned of the code of locks. Of a question, only
// the lock, the configuration and Bounds.Exact matter.
type Keeper interface {
	// Recall returns what was kept, and since when.
	Recall(q Question) (k model.Kept, since time.Time, ok bool)
	// Retain may keep it, in place of what there was.
	Retain(q Question, k model.Kept)
	// Forget drops what is kept: it is of no use, or wrong, if code did something else
	// than was kept of it.
	Forget(q Question, wrong bool)
	// Confirms reports whether the counterexamples of a report, played in the real world,
	// violate what they are to violate.
	Confirms(ctx context.Context, r *Report) bool
}

// recalls makes a new model learn by what was kept.
func (r *Row) recalls(m *rowModel, q Question) {
	if r.Keeper == nil {
		return
	}
	k, since, ok := r.Keeper.Recall(q)
	if !ok || !m.Recall(k) {
		return
	}
	m.recalled = true
	key := modelKey(q)
	if _, known := r.since[key]; !known { // otherwise this row has kept it anew since
		r.since[key] = since
	}
}

// believing explores by what was kept, if anything was. If that turns out not to hold, it
// is dropped, and the search begins again without it.
func (r *Row) believing(ctx context.Context, m *rowModel, q Question, o Options) (Report, error) {
	taken, key := m.Merging(), modelKey(q)
	report, err := explore(ctx, m.Model, q.Hazard.Bounds, o)
	if err == nil && m.Believes() && !r.Keeper.Confirms(ctx, &report) && ctx.Err() == nil {
		m.Unlearn(r.ctx)
		report, err = explore(ctx, m.Model, q.Hazard.Bounds, o)
	}
	if now := m.Merging(); err == nil && (now.Relearned != taken.Relearned || now.Clients != taken.Clients) {
		err = m.again(ctx, m.explored)
	}
	if m.recalled && !m.Recalls() {
		m.recalled = false
		wrong := err == nil && !m.Restarted() // otherwise that would have happened without it too
		r.Keeper.Forget(q, wrong)
		if wrong {
			err = m.again(ctx, r.believed[key])
		}
		delete(r.believed, key)
	}
	if m.Believes() {
		report.Learned = r.since[key]
		r.believed[key] = append(r.believed[key], rowEntry{q.Hazard, o, report})
	}
	return report, err
}

// retains keeps what a search has learned, if others would have learned the same.
func (r *Row) retains(ctx context.Context, m *rowModel, q Question, report *Report, err error) {
	switch {
	case r.Keeper == nil:
	case err != nil: // it may be about what was learned before
		r.Keeper.Forget(q, false)
	case ctx.Err() == nil && report.Limit != RealTime && report.Trouble.None():
		if k, ok := m.Keep(); ok {
			r.Keeper.Retain(q, k)
			if key := modelKey(q); r.since[key].IsZero() {
				r.since[key] = time.Time{} // this row has learned all of it
			}
		}
	}
}

// modelKey names the model that a question is put to.
func modelKey(q Question) string {
	if q.Hazard.Bounds.Exact {
		return q.Config.String() + " exact"
	}
	return q.Config.String()
}

// exploreBelieving is exploreOnce, but a panic is an error if the model believes what was
// kept, which may be what no code does.
func exploreBelieving(ctx context.Context, m *model.Model, b Bounds, o Options) (r Report, err error) {
	if m.Recalls() {
		defer func() {
			p := recover()
			switch {
			case p == nil:
			case !m.Believes():
				panic(p)
			default:
				err = lang.Errorf("panic: %v", p)
			}
		}()
	}
	return exploreOnce(ctx, m, b, o)
}
