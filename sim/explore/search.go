package explore

import (
	"context"
	"errors"
	"iter"
	"slices"
	"sync"

	"lockstep/sim"
	"lockstep/sim/history"
)

// Options says how to explore. None of it makes a difference to the verdict and
// to how long the schedules are.
type Options struct {
	Jobs int // workers; 0 is one
	// Symmetry makes one state of those that differ only in which client is
	// which. Verdicts and lengths stay the same; states and transitions get
	// fewer.
	Symmetry bool
	// Reduce leaves out orders of steps that nobody could tell apart. A proof
	// needs fewer states. Where something is violated, it is looked for once
	// more without, for the shortest schedules.
	Reduce bool
	// Merge makes one state of those in which a client has been told different
	// things that make no difference to what it will do. Where the clients have
	// too many ways to go on, it is not done. Report.ClientRuns tells the price.
	Merge bool
	// Progress, if there is one, is told now and then how far the search is.
	Progress func(Progress)

	pass int // with Merge: give up beyond that many states if anything new was heard
}

// Progress says how far a search is.
type Progress struct {
	States, Faults, Depth int // states so far; the level that is being reached
}

// Explore visits every state within the bounds, in the order of fewest
// faults and then fewest steps, and reports the first violation of each
// invariant that it meets. When ctx is done it stops with what it has: that is
// a limit like any other.
func Explore(ctx context.Context, config history.Config, subject sim.Subject, b Bounds, o Options) (Report, error) {
	p := newParts(config, subject)
	defer p.close()
	return explore(ctx, p, b, o)
}

// explore is Explore with parts that may know something already.
func explore(ctx context.Context, p *parts, b Bounds, o Options) (Report, error) {
	run := exploreOnce
	if o.Merge {
		run = exploreMerged
	}
	r, err := run(ctx, p, b, o)
	switch {
	case errors.Is(err, errAsymmetric):
		o.Symmetry = false
		return explore(ctx, p, b, o)
	case err == nil && o.Reduce && len(r.Found) > 0:
		o.Reduce = false
		return explore(ctx, p, b, o)
	}
	return r, err
}

func exploreOnce(ctx context.Context, p *parts, b Bounds, o Options) (Report, error) {
	before := [2]int{p.runs(), p.execs}
	e := newSearch(ctx, p, b, o)
	if err := e.run(); err != nil || e.report.Limit == "pass" {
		return Report{}, err
	}
	e.count()
	if err := e.findSchedules(); err != nil {
		return Report{}, err
	}
	if err := e.findOrphan(); err != nil {
		return Report{}, err
	}
	if err := p.verify(); err != nil {
		return Report{}, err
	}
	e.report.ClientRuns, e.report.NodeRuns = p.runs()-before[0], p.execs-before[1]
	return e.report, nil
}

// A search is one exploration. A global state is a tuple: a number for each
// client's state, one for the world around them, and one for the monitor
// together with what is spent of the bounds.
type search struct {
	*parts
	ctx     context.Context
	bounds  Bounds
	options Options
	spends  int32 // how many ways there are to have spent the bounds

	tick, leap, flushAction int16 // numbers of actions; -1 for none

	stepTurns, faultTurns turnTable
	symmetry              *symmetry // nil if it is not used

	states  *table
	levels  [][]level         // by faults and depth
	hits    map[string][]hit  // of an invariant, at the least cost
	costs   map[string][2]int // that cost: faults and depth
	ends    []end
	workers []*worker // the last one learns
	batch   []uint32
	shallow bool // the limit on depth has cut something off
	jumps   bool // a client's clock may be turned
	// heardBefore is how much clients had been told when it began.
	heardBefore int
	report      Report
}

// An end is a state in which nobody goes on without a fault.
type end struct {
	state         uint32
	faults, depth int
}

// A level is the states that were first reached by so many faults and so many
// steps: a span of each shard.
type level [shardCount]span

type span struct{ from, to uint32 }

func (l *level) empty() bool {
	return !slices.ContainsFunc(l[:], func(s span) bool { return s.from < s.to })
}

// states goes through the numbers of a level's states. There may be no level.
func (l *level) states() iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		if l == nil {
			return
		}
		for i, s := range l {
			for place := s.from; place < s.to; place++ {
				if !yield(uint32(i)<<shardShift | place) {
					return
				}
			}
		}
	}
}

func newSearch(ctx context.Context, p *parts, b Bounds, o Options) *search {
	e := &search{
		parts: p, ctx: ctx, bounds: b, options: o, spends: int32((b.Budget + 1) * (b.Ticks + 1)), flushAction: -1,
		heardBefore: p.heard(),
		states:      newTable(len(p.config.Clients) + 2), levels: make([][]level, b.Budget+1),
		hits: map[string][]hit{}, costs: map[string][2]int{},
	}
	e.tick = p.action(history.Action{Verb: history.Tick}, -1)
	e.leap = p.action(history.Action{Verb: history.Advance, By: b.Leap}, -1)
	if b.isFault(history.Flush) {
		e.flushAction = p.action(history.Action{Verb: history.Flush}, -1)
	}
	e.stepTurns.index, e.faultTurns.index = make([]index, len(p.names)), make([]index, len(p.names))
	if o.Symmetry {
		e.symmetry = newSymmetry(p)
	}
	e.report.Symmetry, e.report.Reduced = e.symmetry != nil, o.Reduce
	e.jumps = b.isFault(history.Jump) || b.isFault(history.Rate)
	for range max(1, o.Jobs) + 1 {
		e.workers = append(e.workers, &worker{search: e})
	}
	e.learner().learns = true
	e.report.Config, e.report.Bounds = p.config, b
	return e
}

// learner is the worker that learns what the others do not know.
func (e *search) learner() *worker { return e.workers[len(e.workers)-1] }

// first returns the tuple of the state in which everything begins.
func (e *search) first() []int32 {
	var state []int32
	for who := range e.config.Clients {
		state = append(state, e.fresh(who))
	}
	env := envState{resource: sim.ResourceState{Value: e.config.Items()}}
	for range e.subject.Nodes {
		env.nodes = append(env.nodes, e.node(sim.NodeState{}))
	}
	return append(state, e.env(env), 0) // the first monitor, and nothing spent
}

// fresh is the state of a client of which no code has run.
func (p *parts) fresh(who int) int32 {
	return p.client(who, clientState{threads: make([]threadState, len(p.learners[who].nodes[0].threads))})
}

// run reaches every level, in the order of fewest faults and then fewest
// steps.
func (e *search) run() error {
	e.states.add(e.first(), noState, 0)
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

// cuts says whether states are left that lead to a level.
func (e *search) cuts(faults, depth int) bool {
	for _, l := range []*level{e.level(faults, depth-1), e.level(faults-1, depth-1)} {
		if l != nil && !l.empty() {
			return true
		}
	}
	return false
}

// leads says whether anything may lead to a level.
func (e *search) leads(faults, depth int) bool {
	if depth == 0 {
		return true
	}
	if l := e.level(faults, depth-1); l != nil && !l.empty() {
		return true
	}
	return faults > 0 && len(e.levels[faults-1]) >= depth
}

// level returns the level of so many faults and steps; nil if there is none.
func (e *search) level(faults, depth int) *level {
	if faults < 0 || depth < 0 || depth >= len(e.levels[faults]) {
		return nil
	}
	return &e.levels[faults][depth]
}

// reach finds the states of a level: what a step leads to from the level one
// step before, and what a fault leads to.
func (e *search) reach(faults, depth int) error {
	var l level
	if faults > 0 || depth > 0 {
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

// batchSize is how many states are expanded before what they lead to is
// added. It does not depend on the number of workers, so that the order of the
// states does not either.
const batchSize = 1 << 12

// spread expands the states of a level.
func (e *search) spread(from *level, faulty bool, faults, depth int) error {
	for n := range from.states() {
		e.batch = append(e.batch, n)
		if len(e.batch) == batchSize {
			if err := e.expandBatch(faulty, faults, depth); err != nil {
				return err
			}
		}
	}
	return e.expandBatch(faulty, faults, depth)
}

func (e *search) expandBatch(faulty bool, faults, depth int) error {
	if len(e.batch) == 0 || e.report.Limit != "" {
		e.batch = e.batch[:0]
		return nil
	}
	jobs := len(e.workers) - 1
	part := (len(e.batch) + jobs - 1) / jobs
	parallel(jobs, func(i int) {
		from, to := min(i*part, len(e.batch)), min((i+1)*part, len(e.batch))
		for _, n := range e.batch[from:to] {
			_ = e.workers[i].expand(n, faulty) // only one that learns can fail
		}
	})
	for _, w := range e.workers[:jobs] {
		for _, n := range w.unknown {
			if err := e.learner().expand(n, faulty); err != nil {
				return err
			}
		}
	}
	parallel(jobs, func(i int) {
		for to := i; to < shardCount; to += jobs {
			for _, w := range e.workers {
				e.states.shards[to].add(w.rows[to], w.hashes[to])
			}
		}
	})
	e.collect(faults, depth)
	e.batch = e.batch[:0]
	return nil
}

// collect takes from the outboxes what is not states, and looks at the limits.
func (e *search) collect(faults, depth int) {
	for _, w := range e.workers {
		for _, h := range w.violations {
			cost, known := e.costs[h.invariant]
			if !known {
				cost = [2]int{faults, depth}
				e.costs[h.invariant] = cost
			}
			if cost == [2]int{faults, depth} {
				e.hits[h.invariant] = append(e.hits[h.invariant], h)
			}
		}
		for _, n := range w.ending {
			e.ends = append(e.ends, end{n, faults, depth - 1})
		}
		w.reset()
	}
	states := e.states.len()
	switch {
	case e.bounds.States > 0 && states > e.bounds.States:
		e.report.Limit = "states"
	case e.ctx.Err() != nil:
		e.report.Limit = "interrupt"
	case e.options.pass > 0 && states > e.options.pass && e.heard() > e.heardBefore:
		e.report.Limit = "pass"
	}
	if e.options.Progress != nil {
		e.options.Progress(Progress{states, faults, depth})
	}
}

// count fills in what the workers counted.
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
		r.Counts.add(countEvents(e.lists.list[events], e.config.Key()), int(n))
	}
	for action, n := range sum(acted...) {
		switch a := e.verbs.list[action]; {
		case a.Verb == history.Advance:
			r.Counts.Leaps += int(n)
		case n > 0 && e.bounds.isFault(a.Verb):
			r.Counts.Faults[a.Verb] += int(n)
		}
	}
}

// parallel calls do with 0 to n-1, all at a time, and waits.
func parallel(n int, do func(int)) {
	if n == 1 {
		do(0)
		return
	}
	var group sync.WaitGroup
	for i := range n {
		group.Go(func() { do(i) })
	}
	group.Wait()
}
