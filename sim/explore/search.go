package explore

import (
	"cmp"
	"context"
	"slices"

	"lockstep/sim/history"
	"lockstep/sim/internal/pairs"
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

	states  *visitedSet
	levels  [][]level         // by faults and depth
	hits    map[string][]hit  // by invariant, at the lowest cost
	costs   map[string][2]int // that cost: faults and depth
	settled model.Invariants  // invariants with a lower cost than the current level
	because model.Invariants  // Bounds.Because
	ends    []end
	workers []*worker
	learner *worker
	batch   []uint32
	unknown []uint32  // of the batch
	sent    []*outbox // of the batch, in order
	spare   []*outbox
	merged  int   // ways when they were last verified
	shallow bool  // the limit on depth has cut off states
	stuck   error // wraps a *program.StuckError
	report  Report
}

func newSearch(ctx context.Context, m *model.Model, b Bounds, o Options) *search {
	e := &search{
		Model: m, bounds: b, options: o, levels: make([][]level, b.Budget+1),
		hits: map[string][]hit{}, costs: map[string][2]int{}, spinning: map[int]int32{},
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
	e.stepMoves.byClient, e.faultMoves.byClient = make([]pairs.Map[moves], len(m.Names)), make([]pairs.Map[moves], len(m.Names))
	for range max(1, o.Jobs) {
		e.workers = append(e.workers, e.newWorker())
	}
	e.learner = e.newWorker()
	e.learner.learns = true
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

// sizes returns the number of different values of each part of a state.
func (e *search) sizes() []int {
	causes := 1
	if e.because != 0 {
		causes = 2
	}
	return append(e.Sizes(), e.bounds.Budget+1, e.bounds.Ticks+1, causes)
}

// run reaches every level, in the order of fewest faults and then fewest steps.
func (e *search) run() error {
	first := e.initial()
	e.states = newVisitedSet(e.sizes())
	e.states.add(first, noState)
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
		e.report.Limit = "depth"
	}
	return nil
}

// enough reports whether a violation is enough to end the search.
func (e *search) enough() bool {
	for id := range e.costs {
		if e.options.Enough != nil && e.options.Enough(id) {
			return true
		}
	}
	return false
}

// reach finds the states of a level: by a step from the level one step before,
// and by a fault.
func (e *search) reach(faults, depth int) error {
	var l level
	if faults > 0 || depth > 0 {
		for id := range e.costs {
			e.settled |= 1 << slices.Index(history.Invariants(), id)
		}
		for i := range l {
			l[i].from = e.states.shards[i].n
		}
		if err := e.spread(e.level(faults-1, depth-1), true, faults, depth); err != nil {
			return err
		}
		if err := e.spread(e.level(faults, depth-1), false, faults, depth); err != nil {
			return err
		}
	}
	for i := range l {
		l[i].to = e.states.shards[i].n
	}
	e.levels[faults] = append(e.levels[faults], l)
	if !l.empty() {
		e.report.Depth = max(e.report.Depth, depth)
	}
	return nil
}

// count adds up what the workers counted.
func (e *search) count() {
	r := &e.report
	r.States, r.Bytes = e.states.len(), e.states.bytes()
	var fired, acted [][]int64
	for _, w := range e.workers {
		r.Transitions += w.taken
		fired, acted = append(fired, w.fired), append(acted, w.acted)
	}
	r.Counts.Faults = map[history.Verb]int{}
	for events, n := range sum(fired...) {
		list := e.Events(int32(events))
		r.Counts.Add(countEvents(list, e.Config.Key()), int(n))
		if why := PanicIn(list); n > 0 && !why.None() && (r.Trouble.None() || why.String() < r.Trouble.String()) {
			r.Trouble = why
		}
	}
	if e.Subject.KeepsTime() {
		r.Counts.Clocks++ // reads of its clock are invisible, so it may read it
	}
	for action, n := range sum(acted...) {
		switch a := e.Action(int16(action)); {
		case a.Verb == history.Advance:
			r.Counts.Leaps += int(n)
		case n > 0 && e.bounds.IsFault(a.Verb):
			r.Counts.Faults[a.Verb] += int(n)
		}
	}
}
