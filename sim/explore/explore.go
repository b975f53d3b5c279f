package explore

import (
	"context"
	"errors"
	"maps"
	"slices"

	"lockstep/internal/lang"
	"lockstep/sim/history"
	"lockstep/sim/model"
	"lockstep/sim/program"
)

// Options are the options of an exploration. Progress changes nothing of its report.
type Options struct {
	// After begins every schedule; nil for none.
	After history.Schedule
	// First ends the search with the level that first violates an invariant in a way that
	// the contract does not allow: no schedule is cheaper.
	First bool
	// Contract is that of the lock. What it allows of an invariant hides nothing else of
	// that: both have a Found.
	Contract Contract
	// Progress, if not nil, is called now and then with the progress of the
	// search.
	Progress func(Progress)
}

// A Contract says why a violation is allowed; "" if it is not. nil allows nothing.
type Contract func(history.Violation) lang.Word

// Found returns a counterexample with why it is allowed.
func (c Contract) Found(v history.Violation, s history.Schedule) Found {
	return Found{Violation: v, Schedule: s, Allowed: c.allowed(v)}
}

func (c Contract) allowed(v history.Violation) lang.Word {
	if c == nil {
		return ""
	}
	return c(v)
}

// Progress is the progress of a search.
type Progress struct {
	States, Faults, Depth int // states so far; the current level
}

// Explore visits every state within the bounds, in the order of fewest faults
// and then fewest actions, and reports the first violation of each invariant.
// When ctx ends, it stops with what it has; that is a limit like any other.
func Explore(ctx context.Context, config history.Config, subject program.Subject, b Bounds, o Options) (Report, error) {
	m := model.New(ctx, config, subject, b.Exact)
	defer m.Close()
	return explore(ctx, m, b, o)
}

// explore is Explore with a model that may have learned something. It begins again where
// code does not do what was taken for granted.
func explore(ctx context.Context, m *model.Model, b Bounds, o Options) (Report, error) {
	clients, nodes := m.Runs()
	for {
		_, known := m.Draws()
		r, err := exploreOnce(ctx, m, b, o)
		switch _, draws := m.Draws(); {
		case errors.Is(err, model.ErrRemembers):
			m.Relearn(ctx)
			continue
		case errors.Is(err, model.ErrCounts): // then no code may be taken to spin
			m.IgnoreSpins(ctx)
			continue
		case err == nil && draws > known && ctx.Err() == nil: // states before may lead there too
			continue
		}
		r.Drawing, _ = m.Draws()
		r.Polls = m.Polls()
		r.ClientRuns, r.NodeRuns = m.Runs()
		r.ClientRuns, r.NodeRuns = r.ClientRuns-clients, r.NodeRuns-nodes
		r.Merging = m.Merging()
		return r, err
	}
}

func exploreOnce(ctx context.Context, m *model.Model, b Bounds, o Options) (Report, error) {
	e := newSearch(ctx, m, b, o)
	defer e.stop()
	if err := e.unlessStuck(e.run); err != nil {
		return Report{}, err
	}
	m.Close() // what follows learns little, and prints the stacks of all goroutines
	if err := e.unlessStuck(e.verifyMerges); err != nil {
		return Report{}, err
	}
	e.count()
	if err := e.findSchedules(); err != nil {
		return Report{}, err
	}
	if err := e.unlessStuck(e.findOrphan); err != nil {
		return Report{}, err
	}
	if err := e.unlessStuck(e.verifyMerges); err != nil { // of what was learned meanwhile
		return Report{}, err
	}
	if err := e.unlessStuck(e.findSpins); err != nil {
		return Report{}, err
	}
	if err := e.unlessStuck(e.verify); err != nil {
		return e.report, err
	}
	if e.stuck != nil {
		e.report.Limit, e.report.Trouble = RealTime, lang.New("%v", e.stuck)
	}
	return e.report, nil
}

// findSpins reports the clients that spin.
func (e *search) findSpins() error {
	for _, who := range slices.Sorted(maps.Keys(e.spinning)) {
		s, err := e.Spin(who, e.spinning[who])
		if err != nil {
			return err
		}
		e.report.Spins = append(e.report.Spins, s)
	}
	return nil
}
