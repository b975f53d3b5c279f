package explore

import (
	"cmp"
	"context"
	"slices"

	"lockstep/sim/history"
	"lockstep/sim/model"
)

// A search is one exploration.
type search struct {
	*model.Model
	ctx     context.Context
	stop    context.CancelFunc // of ctx; the caller must call it
	bounds  Bounds
	options Options

	tick, leap int16   // numbers of actions
	nodeFaults []int16 // the same, of node faults
	// spinning is, for each client that spins, the first state in which the
	// search met it.
	spinning map[int]int32

	stepMoves, faultMoves moveTable

	root    state // where Options.After ends
	states  visitedSet
	levels  [][]level           // by faults and depth
	hits    map[property][]hit  // at the lowest cost
	costs   map[property][2]int // that cost: faults and depth
	settled properties          // those with a lower cost than the current level
	because properties          // Bounds.Because
	ends    []end
	next    []transition // of the state that is expanded
	to      state        // a buffer
	fired   []int        // by list of events
	acted   []int        // by action
	merged  int          // ways when they were last verified
	shallow bool         // the limit on depth has cut off states
	stuck   error        // wraps a *program.StuckError
	report  Report
}

func newSearch(ctx context.Context, m *model.Model, b Bounds, o Options) *search {
	e := &search{
		Model: m, bounds: b, options: o, levels: make([][]level, b.Budget+1),
		hits: map[property][]hit{}, costs: map[property][2]int{}, spinning: map[int]int32{},
	}
	if i := slices.Index(history.Invariants(), b.Because); i >= 0 {
		e.because = 1 << i
	}
	e.ctx, e.stop = context.WithCancel(ctx)
	e.tick = m.Number(history.Action{Verb: history.Tick})
	e.leap = m.Number(history.Action{Verb: history.Advance, By: cmp.Or(b.Leap, m.Config.TTL)})
	for _, a := range b.ofNodes(m.Subject.Nodes) {
		e.nodeFaults = append(e.nodeFaults, m.Number(a))
	}
	e.stepMoves, e.faultMoves = make(moveTable, len(m.Names)), make(moveTable, len(m.Names))
	e.to = make(state, len(m.Config.Processes())+stateExtra)
	e.states = newVisitedSet(len(e.to))
	e.report.Config, e.report.Server, e.report.Bounds = m.Config, m.Subject.Server, b
	return e
}

// initial returns the first state.
func (e *search) initial() state {
	var s state
	for who := range e.Config.Processes() {
		s = append(s, e.Fresh(who))
	}
	return append(s, e.FreshEnv(), model.FreshMonitor, 0, 0, 0) // nothing is spent
}

// run reaches every level, in the order of fewest faults and then fewest actions.
func (e *search) run() (err error) {
	e.root = e.initial()
	for _, a := range e.options.After {
		if e.root, _, err = e.perform(e.root, a); err != nil {
			return err
		}
	}
	e.states.add(e.root, noState)
	if e.report.Limit != "" { // of the beginning
		return nil
	}
	for faults := range e.levels {
		for depth := 0; ; depth++ {
			if !e.leads(faults, depth) {
				break
			}
			if e.bounds.Depth > 0 && depth > e.bounds.Depth {
				e.shallow = e.shallow || e.cuts(faults, depth)
				break
			}
			if err := e.reach(faults, depth); err != nil {
				return err
			}
			if e.enough() && e.report.Limit == "" {
				e.report.Limit = FirstViolation
			}
			if e.report.Limit != "" {
				return nil
			}
		}
	}
	if e.shallow {
		e.report.Limit = OutOfDepth
	}
	return nil
}

// enough reports whether a violation is enough to end the search.
func (e *search) enough() bool {
	for p := range e.costs {
		if e.options.First && p < firstAllowed {
			return true
		}
	}
	return false
}

// reach finds the states of a level: by a step from the level one step before,
// and by a fault.
func (e *search) reach(faults, depth int) error {
	from := uint32(e.states.len())
	if faults == e.root.faults() && depth == 0 {
		from = 0 // the first state
	}
	for p := range e.costs {
		e.settled |= 1 << p
	}
	at := [2]int{faults, depth}
spread:
	for _, by := range []struct {
		from  level
		fault bool
	}{{e.level(faults-1, depth-1), true}, {e.level(faults, depth-1), false}} {
		for n := range by.from.states() {
			if e.report.Limit = e.limit(); e.report.Limit != "" {
				break spread
			}
			if err := e.expand(n, by.fault, at); err != nil {
				return err
			}
			if n%progressEvery == 0 && e.options.Progress != nil {
				e.options.Progress(Progress{e.states.len(), faults, depth})
			}
			if e.Merging().Ways >= 2*e.merged+fewMerged {
				if err := e.verifyMerges(); err != nil {
					return err
				}
			}
		}
	}
	l := level{from, uint32(e.states.len())}
	e.levels[faults] = append(e.levels[faults], l)
	if l.from < l.to {
		e.report.Depth = max(e.report.Depth, depth)
	}
	if e.report.Limit == "" {
		e.report.Limit = e.limit()
	}
	return nil
}

// count adds up what was counted.
func (e *search) count() {
	r := &e.report
	r.States, r.Bytes = e.states.len(), e.states.bytes()
	r.Counts.Faults = map[history.Verb]int{}
	for events, n := range e.fired {
		r.Counts.Add(countEvents(e.Events(int32(events)), e.Config.Key()), n)
	}
	if e.Subject.KeepsTime() {
		r.Counts.Clocks++ // reads of its clock are invisible, so it may read it
	}
	for action, n := range e.acted {
		switch a := e.Action(int16(action)); {
		case a.Verb == history.Advance:
			r.Counts.Leaps += n
		case n > 0 && e.bounds.IsFault(a.Verb):
			r.Counts.Faults[a.Verb] += n
		}
	}
}
