package explore

import (
	"context"

	"lockstep/sim"
	"lockstep/sim/history"
)

// A search is one exploration. A global state is a tuple: a number for each
// client's state, one for the world around them, and one for the monitor
// together with what is spent of the bounds.
type search struct {
	*parts
	ctx     context.Context
	stop    context.CancelFunc // of ctx; to be called in the end
	bounds  Bounds
	options Options
	spends  int32 // how many ways there are to have spent the bounds

	tick, leap int16   // numbers of actions
	nodeFaults []int16 // the same, of what may happen to nodes

	stepTurns, faultTurns turnTable

	states  *table
	levels  [][]level         // by faults and depth
	hits    map[string][]hit  // of an invariant, at the least cost
	costs   map[string][2]int // that cost: faults and depth
	ends    []end
	workers []*worker // the last one learns
	batch   []uint32
	shallow bool // the limit on depth has cut something off
	jumps   bool // a client's clock may be turned
	stuck   *sim.StuckError
	report  Report
}

func newSearch(ctx context.Context, p *parts, b Bounds, o Options) *search {
	e := &search{
		parts: p, bounds: b, options: o, spends: int32((b.Budget + 1) * (b.Ticks + 1)),
		states: newTable(len(p.config.Clients) + 2), levels: make([][]level, b.Budget+1),
		hits: map[string][]hit{}, costs: map[string][2]int{},
	}
	e.ctx, e.stop = context.WithCancel(ctx)
	e.tick = p.action(history.Action{Verb: history.Tick})
	e.leap = p.action(history.Action{Verb: history.Advance, By: b.Leap})
	for _, a := range b.ofNodes(p.subject.Nodes) {
		e.nodeFaults = append(e.nodeFaults, p.action(a))
	}
	e.stepTurns.index, e.faultTurns.index = make([]index, len(p.names)), make([]index, len(p.names))
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
	env := sim.State{Resource: sim.ResourceState{Value: e.config.Items()}}
	for range e.subject.Nodes {
		env.Nodes = append(env.Nodes, e.node(sim.NodeState{Lag: e.config.Lag}))
	}
	return append(state, e.env(env), 0) // the first monitor, and nothing spent
}

// fresh is the state of a client of which no code has run.
func (p *parts) fresh(who int) int32 {
	return p.client(who, sim.ClientState{Strands: make([]sim.Strand, len(p.learners[who].nodes[0].wants))})
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
			if e.options.First && len(e.costs) > 0 && e.report.Limit == "" {
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
	case e.full():
		e.report.Limit = outOfMemory
	case e.ctx.Err() != nil:
		e.report.Limit = "interrupt"
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
		list := e.lists.list[events]
		r.Counts.add(countEvents(list, e.config.Key()), int(n))
		if n > 0 && r.Trouble == "" {
			r.Trouble = panicIn(list)
		}
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
