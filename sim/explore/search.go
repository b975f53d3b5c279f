package explore

import (
	"context"
	"slices"

	"lockstep/sim"
	"lockstep/sim/history"
)

// Explore visits every state within the bounds, in the order of fewest
// faults and then fewest steps, and reports the first violation of each
// invariant that it meets. When ctx is done it stops with what it has: that is
// a limit like any other.
func Explore(ctx context.Context, config history.Config, subject sim.Subject, b Bounds) (Report, error) {
	e := newSearch(config, subject, b)
	e.ctx = ctx
	if err := e.run(); err != nil {
		return Report{}, err
	}
	if err := e.findOrphan(); err != nil {
		return Report{}, err
	}
	return e.finish(), nil
}

// A search is one exploration. A global state is a tuple: a number for each
// client's state, one for the world around them, one for the monitor.
type search struct {
	*parts
	states  *table
	parents []int32
	actions []int16 // that led from the parent
	levels  []level // by faults
	found   map[string]Found
	costs   map[string][2]int // faults and depth of what was found
	depths  []uint16
	counted []Counts // by list of events
	movesOf map[movesKey]*moves
	ticked  map[tickKey]local
	owners  map[int16]int // the client that an action concerns
	flushes bool          // scripts may be flushed

	ctx     context.Context
	reached [2]int // faults and depth at which the search was cut short

	state, next []int32 // of the state that is being expanded
	todo        []int16
	ends        map[string]int32 // a state in which nobody goes on, by what is left there
	report      Report
}

func newSearch(config history.Config, subject sim.Subject, b Bounds) *search {
	e := &search{parts: newParts(config, subject, b), states: newTable(len(config.Clients) + 2), found: map[string]Found{}, costs: map[string][2]int{}, ends: map[string]int32{}}
	e.levels = make([]level, b.Budget+2)
	e.movesOf, e.ticked, e.owners = map[movesKey]*moves{}, map[tickKey]local{}, map[int16]int{}
	e.flushes = slices.ContainsFunc(b.Faults, func(a history.Action) bool { return a.Verb == history.Flush })
	e.report.Config, e.report.Bounds = config, b
	e.report.Counts.Faults = map[history.Verb]int{}
	return e
}

// A level is the frontier of the states with the same number of faults: by
// depth, those that were reached from the level itself, and, yet to be looked
// at, those that a fault led to. They must not be entered before their depth is
// due: another way within the level may be shorter.
type level struct {
	reached [][]int32
	offered [][]offer
}

type offer struct {
	state  []int32
	parent int32
	action int16
}

// push appends to the list of a depth.
func push[T any](lists *[][]T, depth int, v T) {
	for len(*lists) <= depth {
		*lists = append(*lists, nil)
	}
	(*lists)[depth] = append((*lists)[depth], v)
}

func (e *search) first() []int32 {
	var state []int32
	for who := range e.config.Clients {
		n := &e.learners[who].nodes[0]
		state = append(state, e.client(who, clientState{threads: make([]threadState, len(n.threads))}))
	}
	env := envState{resource: sim.ResourceState{Value: e.config.Items()}}
	for range e.subject.Nodes {
		env.nodes = append(env.nodes, e.node(sim.NodeState{}))
	}
	return append(state, e.env(env), e.monitor(history.NewMonitor(e.config, e.subject.Nodes)))
}

func (e *search) run() error {
	e.enter(e.first(), -1, 0, 0, 0)
	for faults := range e.levels {
		level := &e.levels[faults]
		for depth := 0; depth < max(len(level.reached), len(level.offered)); depth++ {
			if depth < len(level.offered) {
				for _, o := range level.offered[depth] {
					e.enter(o.state, o.parent, o.action, faults, depth)
				}
				level.offered[depth] = nil
			}
			if depth >= len(level.reached) || len(level.reached[depth]) == 0 {
				continue
			}
			if e.bounds.Depth > 0 && depth == e.bounds.Depth {
				e.report.Limit = "depth" // what is beyond has more steps than all that was found
				break
			}
			for _, n := range level.reached[depth] {
				if err := e.expand(n, faults, depth); err != nil {
					return err
				}
				if e.bounds.States > 0 && e.states.len() > e.bounds.States {
					e.report.Limit = "states"
				} else if n%1024 == 0 && e.ctx.Err() != nil {
					e.report.Limit = "interrupt"
				}
				if e.report.Limit != "" {
					e.reached = [2]int{faults, depth}
					return nil
				}
			}
			level.reached[depth] = nil
		}
	}
	return nil
}

// enter adds a state unless it is known.
func (e *search) enter(state []int32, parent int32, action int16, faults, depth int) {
	n, fresh := e.states.add(state)
	if !fresh {
		return
	}
	e.parents = append(e.parents, parent)
	e.actions = append(e.actions, action)
	e.depths = append(e.depths, uint16(depth))
	push(&e.levels[faults].reached, depth, n)
	e.report.Depth = max(e.report.Depth, depth)
}

// expand takes every action that is possible in a state.
func (e *search) expand(n int32, faults, depth int) error {
	width := len(e.config.Clients)
	state := append(e.state[:0], e.states.at(n)...) // the table may move
	next := append(e.next[:0], state...)
	e.state, e.next = state, next
	due := e.possible(state)
	goesOn := false
	for _, id := range e.todo {
		a := e.verbs.list[id]
		isFault := e.bounds.isFault(a.Verb)
		goesOn = goesOn || !isFault
		copy(next, state)
		var events int32
		switch a.Verb {
		case history.Tick, history.Advance:
			next[width], events = e.tick(state[width], due)
		case history.Flush:
			next[width], events = e.flush(state[width])
		default:
			who := e.owners[id]
			l, err := e.local(who, state[who], state[width], id)
			if err != nil {
				return err
			}
			next[who], next[width], events = l.client, l.env, l.events
		}
		e.count(a, events)
		j := e.judge(state[width+1], events)
		next[width+1] = j.monitor
		e.report.Transitions++
		for _, v := range j.found {
			e.note(v, n, a, faults, depth)
		}
		if isFault {
			push(&e.levels[faults+1].offered, depth+1, offer{slices.Clone(next), n, id})
		} else {
			e.enter(next, n, id, faults, depth+1)
		}
	}
	if faulty := e.parents[n] >= 0 && e.bounds.isFault(e.verbs.list[e.actions[n]].Verb); faulty || !goesOn {
		e.noteEnd(n, state)
	}
	return nil
}

// possible puts the actions of a state into e.todo, in a fixed order: steps,
// time, faults. It returns the moment to which time would pass.
func (e *search) possible(state []int32) (due history.Millis) {
	width := len(e.config.Clients)
	env := e.envs.list[state[width]]
	e.todo = e.todo[:0]
	at, expires := e.nextExpiry(env)
	if expires {
		due = at
	}
	for who := range e.config.Clients {
		m := e.moves(who, state[who], env)
		e.todo = append(e.todo, m.steps...)
		if m.due > 0 && (due == 0 || m.due < due) {
			due = m.due
		}
	}
	if env.ticks < e.bounds.Ticks && (e.bounds.Anywhere || len(e.todo) == 0) {
		switch {
		case due > 0:
			e.todo = append(e.todo, e.action(history.Action{Verb: history.Tick}))
		case e.bounds.Leap > 0:
			e.todo = append(e.todo, e.action(history.Action{Verb: history.Advance, By: e.bounds.Leap}))
			due = env.now + e.bounds.Leap
		}
	}
	if env.faults == e.bounds.Budget {
		return due
	}
	for who := range e.config.Clients {
		e.todo = append(e.todo, e.moves(who, state[who], env).faults...)
	}
	if e.flushes {
		e.todo = append(e.todo, e.action(history.Action{Verb: history.Flush}))
	}
	return due
}

// A moves is what a client can do in a state of the world, as numbers of
// actions, and when time next matters to it; 0 for never.
type moves struct {
	steps, faults []int16
	due           history.Millis
}

// A movesKey is all that a client's moves depend on.
type movesKey struct {
	who    int
	client int32
	now    history.Millis
	late   bool // a request of the client is on its way without anybody who waits
}

func (e *search) moves(who int, client int32, env *envState) *moves {
	late := slices.ContainsFunc(env.late, func(l lateRequest) bool { return l.client == who })
	key := movesKey{who, client, env.now, late}
	if m, ok := e.movesOf[key]; ok {
		return m
	}
	m := &moves{}
	name, c := e.config.Clients[who], e.clients[who].list[client]
	if !c.dead {
		for id := range c.threads {
			if e.enabled(who, c, id, env.now) {
				m.steps = append(m.steps, e.own(who, history.Action{Verb: history.Step, Client: name, Thread: id}))
			}
		}
		m.due = e.due(who, c, env.now)
	}
	for _, a := range e.faults(who, name, c, late) {
		m.faults = append(m.faults, e.own(who, a))
	}
	e.movesOf[key] = m
	return m
}

// own returns the number of an action of one client.
func (e *search) own(who int, a history.Action) int16 {
	id := e.action(a)
	e.owners[id] = who
	return id
}

// enabled says whether a thread can take a step, as World does.
func (e *search) enabled(who int, c *clientState, id int, now history.Millis) bool {
	t := c.threads[id]
	p := &e.learners[who].nodes[c.node].threads[id]
	switch {
	case p.Ended || id == 0 && c.hung:
		return false
	case p.Saw == sim.SawReply && t.phase == lost:
		return t.until <= now
	case p.Saw == sim.SawNothing && p.Sleeps:
		return t.until <= now
	}
	return true
}

// faults lists what may go wrong with a client.
func (e *search) faults(who int, name string, c *clientState, late bool) []history.Action {
	var actions []history.Action
	for _, f := range e.bounds.Faults {
		f.Client = name
		switch f.Verb {
		case history.Send, history.Arrive, history.LoseRequest, history.LoseReply:
			for id, t := range c.threads { // a dead client has none
				p := &e.learners[who].nodes[c.node].threads[id]
				if p.Ended || p.Saw != sim.SawReply || id == 0 && c.hung || !messagePossible(f.Verb, t.phase) {
					continue
				}
				f.Thread = id
				actions = append(actions, f)
			}
			continue
		case history.Late:
			if !late {
				continue
			}
		case history.Flush:
			continue // concerns nobody in particular
		case history.Hang:
			if c.dead || c.hung {
				continue
			}
		default:
			if c.dead {
				continue
			}
		}
		actions = append(actions, f)
	}
	return actions
}

func messagePossible(v history.Verb, p phase) bool {
	switch p {
	case idle:
		return true
	case onTheWay:
		return v != history.Send
	case answered:
		return v == history.LoseReply
	}
	return false
}

// nextExpiry returns the moment at which the next key will be gone.
func (e *search) nextExpiry(env *envState) (next history.Millis, ok bool) {
	for _, id := range env.nodes {
		if at := e.expiries[id]; at > 0 && (!ok || at < next) {
			next, ok = at, true
		}
	}
	return next, ok
}

// due returns the next moment at which time matters to a client; 0 for never.
func (e *search) due(who int, c *clientState, now history.Millis) (next history.Millis) {
	for id, t := range c.threads {
		p := &e.learners[who].nodes[c.node].threads[id]
		waits := p.Saw == sim.SawNothing && p.Sleeps || p.Saw == sim.SawReply && (t.phase == onTheWay || t.phase == lost)
		if waits && !p.Ended && !(id == 0 && c.hung) && t.until > now && (next == 0 || t.until < next) {
			next = t.until
		}
	}
	return next
}

// tick moves time to a deadline.
func (e *search) tick(from int32, to history.Millis) (env, events int32) {
	key := tickKey{from, to}
	if l, ok := e.ticked[key]; ok {
		return l.env, l.events
	}
	s := e.envs.list[from].clone()
	list := []history.Event{{Kind: history.Clock, By: to - s.now}}
	s.now, s.ticks = to, s.ticks+1
	for i, id := range s.nodes {
		after, changes := e.nodes.list[id].Expire(to)
		if len(changes) > 0 {
			s.nodes[i] = e.node(after)
			list = append(list, history.Event{Kind: history.Expire, Node: sim.NodeName(i), Changes: changes})
		}
	}
	l := local{env: e.env(s), events: e.events(list)}
	e.ticked[key] = l
	return l.env, l.events
}

type tickKey struct {
	env int32
	to  history.Millis
}

func (e *search) flush(from int32) (env, events int32) {
	s := e.envs.list[from].clone()
	s.faults++
	for i, id := range s.nodes {
		s.nodes[i] = e.node(e.nodes.list[id].Flush())
	}
	return e.env(s), e.events([]history.Event{{Kind: history.Fault, Op: string(history.Flush)}})
}

// count notes what happens at a transition.
func (e *search) count(a history.Action, events int32) {
	for int(events) >= len(e.counted) {
		e.counted = append(e.counted, countEvents(e.lists.list[len(e.counted)], e.config.Key()))
	}
	e.report.Counts.add(&e.counted[events])
	switch {
	case a.Verb == history.Advance:
		e.report.Counts.Leaps++
	case e.bounds.isFault(a.Verb):
		e.report.Counts.Faults[a.Verb]++
	}
}

// note keeps the first violation of each invariant, in the order of fewest
// faults and then fewest steps.
func (e *search) note(v history.Violation, from int32, a history.Action, faults, depth int) {
	cost := [2]int{faults, depth}
	if e.bounds.isFault(a.Verb) {
		cost[0]++
	}
	best, known := e.costs[v.Invariant]
	if !known || cost[0] < best[0] || cost[0] == best[0] && cost[1] < best[1] {
		e.costs[v.Invariant] = cost
		e.found[v.Invariant] = Found{v, append(e.schedule(from), a), true}
	}
}

// schedule returns the actions that led to a state.
func (e *search) schedule(n int32) history.Schedule {
	var s history.Schedule
	for ; e.parents[n] >= 0; n = e.parents[n] {
		s = append(s, e.verbs.list[e.actions[n]])
	}
	slices.Reverse(s)
	return s
}

// cutShort says whether the search stopped in the middle of a level.
func (e *search) cutShort() bool { return e.report.Limit == "states" || e.report.Limit == "interrupt" }

func (e *search) finish() Report {
	e.report.States = e.states.len()
	for _, l := range e.learners {
		e.report.ClientRuns += l.runs
	}
	e.report.NodeRuns = e.execs
	for id, f := range e.found {
		// Where the search stopped in the middle, only what costs no more than
		// what it had been through is known to be shortest.
		if c, ok := e.costs[id]; ok && e.cutShort() {
			f.Shortest = c[0] < e.reached[0] || c[0] == e.reached[0] && c[1] <= e.reached[1]
			e.found[id] = f
		}
	}
	for _, id := range history.Invariants {
		if f, ok := e.found[id]; ok {
			e.report.Found = append(e.report.Found, f)
		}
	}
	return e.report
}
