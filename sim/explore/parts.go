package explore

import (
	"context"
	"encoding/binary"
	"slices"
	"strconv"

	"lockstep/sim"
	"lockstep/sim/history"
)

// parts holds everything that is learnt once of a lock in a configuration:
// clients, node states, and what follows what. Global states are tuples of its
// ids. It knows no bounds, so that explorations under several hazards can share
// it.
type parts struct {
	config   history.Config
	subject  sim.Subject
	names    []string // of the clients; the last is the probe's
	learners []*learner
	parties  sim.Parties // the learnt ones
	emitted  []history.Event
	clients  []interner[*clientState] // by client
	envs     interner[*envState]
	outlooks []outlook // by env
	nodes    interner[sim.NodeState]
	monitors interner[*history.Monitor]
	lists    interner[[]history.Event]
	heeded   interner[[]history.Event] // what is left of a list that a monitor heeds; 0 is nothing
	heeds    []int32                   // by list: what is left of it
	verbs    numbered
	stepping [][]int16          // by client and strand: the number of a step
	chances  map[chance][]int16 // the numbers of what a fault may be

	deeds     memo[deed]
	standings memo[standing]
	views     []views
	viewed    interner[struct{}]
	mended    []index[int32] // by client: without what EndFaults ends; the last is that of envs
	// What a question is asked with: a state, what belongs to it, what of it has
	// been touched; and room for keys.
	scratch sim.State
	strands []sim.Strand
	moves   []move
	actions []int16
	refs    []sim.Ref
	touched footprint
	key     []byte

	executed map[string]execution
	shifted  map[shifting]sim.Ref
	timed    map[string]bool  // by word of a command: whether it asks for the time
	judged   index[judgement] // by monitor and what it heeds
	execs    int              // of a real miniredis
}

// An outlook is what time and the faults of nodes do to an env.
type outlook struct {
	expiry history.Millis // when the next key will be gone; 0 for never
	passed []passage      // what was asked for so far
}

// A passage is time passing, or a fault of nodes.
type passage struct {
	cause
	env, events int32 // env is -1 where the cause cannot be
}

// A cause is a moment up to which time passes, or else the number of a fault.
type cause struct {
	to    history.Millis
	fault int16
}

// A judgement is what a monitor makes of a list of events: the monitor that it
// becomes, and what is violated.
type judgement struct {
	monitor  int32
	violates invariants
}

// invariants is a set of history.Invariants, a bit for each.
type invariants uint16

func setOf(violations []history.Violation) (set invariants) {
	for _, v := range violations {
		set |= 1 << slices.Index(history.Invariants, v.Invariant)
	}
	return set
}

func (set invariants) has(which int) bool { return set>>which&1 != 0 }

// numbered gives actions numbers.
type numbered struct {
	ids  map[history.Action]int16
	list []history.Action
}

// A move is an action with what it comes to for the client that it concerns
// and the world around it.
type move struct {
	client, env, events int32
	action              int16
}

func newParts(ctx context.Context, config history.Config, subject sim.Subject) *parts {
	subject = subject.In(config)
	p := &parts{
		config: config, subject: subject, names: append(slices.Clone(config.Clients), sim.Probe),
		executed: map[string]execution{}, shifted: map[shifting]sim.Ref{}, timed: map[string]bool{},
		chances: map[chance][]int16{},
	}
	p.verbs.ids = map[history.Action]int16{}
	p.monitor(history.NewMonitor(config, subject.Nodes))
	p.heeded.id(nil, func() []history.Event { return nil })
	p.parties = sim.Parties{Config: config, Names: p.names, Store: learntStore{p}, Emit: p.emit}
	clients := len(p.names)
	p.clients, p.stepping, p.mended = make([]interner[*clientState], clients), make([][]int16, clients), make([]index[int32], clients+1)
	p.deeds.questions, p.standings.questions = make([]index[int32], clients), make([]index[int32], clients)
	p.scratch.Clients = make([]sim.ClientState, clients)
	for _, name := range p.names {
		l := newLearner(ctx, config, subject, name)
		p.learners, p.parties.Programs = append(p.learners, l), append(p.parties.Programs, l)
	}
	for i := range subject.Nodes {
		p.parties.Servers = append(p.parties.Servers, learntNode{p, i, sim.NodeName(i)})
	}
	return p
}

// close ends all code that waits to be run. More can be learnt all the same.
func (p *parts) close() {
	for _, l := range p.learners {
		l.close()
	}
}

// runs counts how often real code of a client ran.
func (p *parts) runs() (n int) {
	for _, l := range p.learners {
		n += l.runs
	}
	return n
}

// verify runs every client's code a second time along every path.
func (p *parts) verify() error {
	for _, l := range p.learners {
		if err := l.verify(); err != nil {
			return err
		}
	}
	return nil
}

func (p *parts) client(who int, s sim.ClientState) int32 {
	c := canonical(s)
	p.key = c.append(p.key[:0])
	return p.clients[who].id(p.key, func() *clientState {
		own := c
		own.Strands = slices.Clone(own.Strands)
		return &own
	})
}

func (p *parts) env(s sim.State) int32 {
	return p.intern(&envState{s.Now, s.Nodes, s.Resource, s.Abandoned})
}

// intern gives an env a number.
func (p *parts) intern(e *envState) int32 {
	p.key = e.append(p.key[:0], ^footprint(0))
	return p.envs.id(p.key, func() *envState {
		own := *e
		own.nodes = slices.Clone(own.nodes)
		var o outlook
		for _, id := range own.nodes {
			at, _ := p.nodes.list[id].NextExpiry() // 0 for never
			o.expiry = sooner(o.expiry, at)
		}
		p.outlooks = append(p.outlooks, o)
		return &own
	})
}

func (p *parts) node(s sim.NodeState) sim.Ref {
	p.key = s.Append(p.key[:0])
	return sim.Ref(p.nodes.id(p.key, func() sim.NodeState { return s }))
}

func (p *parts) monitor(m *history.Monitor) int32 {
	return p.monitors.id(m.Canonical(), func() *history.Monitor { return m })
}

// action gives an action a number.
func (p *parts) action(a history.Action) int16 {
	n, ok := p.verbs.ids[a]
	if !ok {
		n = int16(len(p.verbs.list))
		p.verbs.ids[a] = n
		p.verbs.list = append(p.verbs.list, a)
	}
	return n
}

// events gives a list of events a number. Places in a history are no part of
// it: no invariant depends on them.
func (p *parts) events(list []history.Event) int32 {
	p.key = appendEvents(p.key[:0], list)
	return p.lists.id(p.key, func() []history.Event {
		list = slices.Clone(list)
		for i := range list {
			list[i].Seq, list[i].Pick, list[i].At, list[i].Call, list[i].During = 0, 0, 0, 0, 0
		}
		heeded := slices.DeleteFunc(slices.Clone(list), p.monitors.list[0].Ignores)
		p.heeds = append(p.heeds, p.heeded.id(appendEvents(nil, heeded), func() []history.Event { return heeded }))
		return list
	})
}

// appendEvents writes what makes a difference to an invariant, or is counted.
func appendEvents(b []byte, list []history.Event) []byte {
	text := func(s string) { b = append(append(b, s...), 0) } // none of these has a NUL
	number := func(n int64) { b = binary.AppendVarint(b, n) }
	key := func(k *history.KeyState) {
		if k == nil {
			b = append(b, '-')
			return
		}
		b = strconv.AppendQuote(append(b, '+'), k.Value)
		text(k.Type)
		number(int64(k.Deadline))
	}
	for i := range list {
		e := &list[i]
		text(string(e.Kind))
		text(e.Client)
		number(int64(e.Thread))
		text(e.Node)
		text(e.Op)
		text(e.Outcome)
		if e.Kind == history.Apply && len(e.Cmds) > 0 { // scripts are counted: see countEvents
			text(e.Cmds[0][0])
		}
		for _, n := range [...]int64{e.Value, e.Version, e.Based, e.Fence, int64(e.By), int64(len(e.Changes))} {
			number(n)
		}
		for _, ch := range e.Changes {
			b = strconv.AppendQuote(b, ch.Key)
			key(ch.Before)
			key(ch.After)
		}
	}
	return b
}

// judge lets a monitor observe what it heeds of a list of events.
func (p *parts) judge(monitor, heeded int32) *judgement {
	m := p.monitors.list[monitor].Clone()
	for _, e := range p.heeded.list[heeded] {
		m.Observe(e)
	}
	violates := setOf(m.Violations())
	p.judged.put(monitor, heeded, judgement{p.monitor(m), violates})
	return p.judged.get(monitor, heeded)
}

// sooner returns the earlier of two moments, of which 0 is never.
func sooner(a, b history.Millis) history.Millis {
	if a == 0 || b > 0 && b < a {
		return b
	}
	return a
}
