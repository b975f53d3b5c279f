package explore

import (
	"context"
	"slices"

	"lockstep/sim"
	"lockstep/sim/history"
)

// A search is one exploration.
type search struct {
	*parts
	ctx     context.Context
	stop    context.CancelFunc // of ctx; to be called in the end
	bounds  Bounds
	options Options

	tick, leap int16   // numbers of actions
	nodeFaults []int16 // the same, of what may happen to nodes

	stepTurns, faultTurns turnTable

	states  *visitedSet
	levels  [][]level         // by faults and depth
	hits    map[string][]hit  // of an invariant, at the least cost
	costs   map[string][2]int // that cost: faults and depth
	settled invariants        // that cost less than the level that is being reached
	ends    []end
	workers []*worker
	learner *worker
	batch   []uint32
	unknown []uint32  // of the batch
	sent    []*outbox // of the batch, in order
	spare   []*outbox
	shallow bool // the limit on depth has cut something off
	jumps   bool // a client's clock may be turned
	stuck   *sim.StuckError
	report  Report
}

func newSearch(ctx context.Context, p *parts, b Bounds, o Options) *search {
	e := &search{
		parts: p, bounds: b, options: o, levels: make([][]level, b.Budget+1),
		hits: map[string][]hit{}, costs: map[string][2]int{},
	}
	e.ctx, e.stop = context.WithCancel(ctx)
	e.tick = p.action(history.Action{Verb: history.Tick})
	e.leap = p.action(history.Action{Verb: history.Advance, By: b.Leap})
	for _, a := range b.ofNodes(p.subject.Nodes) {
		e.nodeFaults = append(e.nodeFaults, p.action(a))
	}
	e.stepTurns.turns, e.faultTurns.turns = make([]index[turn], len(p.names)), make([]index[turn], len(p.names))
	e.jumps = b.IsFault(history.Jump) || b.IsFault(history.Rate)
	for range max(1, o.Jobs) {
		e.workers = append(e.workers, e.newWorker())
	}
	e.learner = e.newWorker()
	e.learner.learns = true
	e.report.Config, e.report.Bounds = p.config, b
	return e
}

// first returns the state in which everything begins.
func (e *search) first() state {
	var s state
	for who := range e.config.Clients {
		s = append(s, e.fresh(who))
	}
	env := sim.State{Resource: sim.ResourceState{Value: e.config.Items()}}
	for range e.subject.Nodes {
		env.Nodes = append(env.Nodes, e.node(sim.NodeState{Lag: e.config.Lag}))
	}
	return append(s, e.env(env), 0, 0, 0) // the first monitor, and nothing spent
}

// sizes says how many different numbers there are for each part of a state.
func (e *search) sizes() []int {
	var sizes []int
	for who := range e.config.Clients {
		sizes = append(sizes, len(e.clients[who].list))
	}
	return append(sizes, len(e.envs.list), len(e.monitors.list), e.bounds.Budget+1, e.bounds.Ticks+1)
}

// fresh is the state of a client of which no code has run.
func (p *parts) fresh(who int) int32 {
	return p.client(who, sim.ClientState{Strands: make([]sim.Strand, len(p.learners[who].nodes[0].wants))})
}

// run reaches every level, in the order of fewest faults and then fewest
// steps.
func (e *search) run() error {
	first := e.first()
	e.states = newVisitedSet(e.sizes())
	e.states.add(first, noState)
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
		for id := range e.costs {
			e.settled |= 1 << slices.Index(history.Invariants, id)
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
		r.Counts.Add(countEvents(list, e.config.Key()), int(n))
		if n > 0 && r.Trouble == "" {
			r.Trouble = PanicIn(list)
		}
	}
	for action, n := range sum(acted...) {
		switch a := e.verbs.list[action]; {
		case a.Verb == history.Advance:
			r.Counts.Leaps += int(n)
		case n > 0 && e.bounds.IsFault(a.Verb):
			r.Counts.Faults[a.Verb] += int(n)
		}
	}
}
