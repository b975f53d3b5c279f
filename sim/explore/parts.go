package explore

import (
	"context"
	"fmt"
	"slices"
	"strings"

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
	clients  []interner[string, *clientState] // by client
	envs     interner[string, *envState]
	outlooks []outlook // by env
	nodes    interner[string, sim.NodeState]
	monitors interner[string, *history.Monitor]
	lists    interner[string, []history.Event]
	heeded   interner[string, []history.Event] // what is left of a list that a monitor heeds; 0 is nothing
	heeds    []int32                           // by list: what is left of it
	verbs    interner[history.Action, history.Action]

	executed map[string]execution
	acts     map[actKey]move
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

type actKey struct {
	client, env int32
	who, action int16
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
		executed: map[string]execution{}, acts: map[actKey]move{},
	}
	p.monitor(history.NewMonitor(config, subject.Nodes))
	p.heeded.id(eventsKey(nil), func() []history.Event { return nil })
	p.clients = make([]interner[string, *clientState], len(p.names))
	p.parties = sim.Parties{Config: config, Names: p.names, Store: sim.InMemory{}, Emit: p.emit}
	for _, name := range p.names {
		l := newLearner(ctx, config, subject, name)
		p.learners, p.parties.Programs = append(p.learners, l), append(p.parties.Programs, l)
	}
	for i := range subject.Nodes {
		p.parties.Servers = append(p.parties.Servers, learntNode{p, sim.NodeName(i)})
	}
	return p
}

// close ends all code that waits to be run.
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
	return p.clients[who].id(c.key(), func() *clientState { return &c })
}

func (p *parts) env(s sim.State) int32 {
	e := envState{s.Now, s.Nodes, s.Resource, s.Abandoned}
	return p.envs.id(e.key(), func() *envState {
		var o outlook
		for _, id := range e.nodes {
			at, _ := p.nodes.list[id].NextExpiry() // 0 for never
			o.expiry = sooner(o.expiry, at)
		}
		p.outlooks = append(p.outlooks, o)
		return &e
	})
}

func (p *parts) node(s sim.NodeState) sim.Ref {
	return sim.Ref(p.nodes.id(s.String(), func() sim.NodeState { return s }))
}

func (p *parts) monitor(m *history.Monitor) int32 {
	return p.monitors.id(string(m.Canonical()), func() *history.Monitor { return m })
}

// action gives an action a number.
func (p *parts) action(a history.Action) int16 {
	return int16(p.verbs.id(a, func() history.Action { return a }))
}

// events gives a list of events a number. Places in a history are no part of
// it: no invariant depends on them.
func (p *parts) events(list []history.Event) int32 {
	for i := range list {
		list[i].Seq, list[i].Pick, list[i].At, list[i].Call, list[i].During = 0, 0, 0, 0, 0
	}
	return p.lists.id(eventsKey(list), func() []history.Event {
		m := p.monitors.list[0]
		heeded := slices.DeleteFunc(slices.Clone(list), m.Ignores)
		p.heeds = append(p.heeds, p.heeded.id(eventsKey(heeded), func() []history.Event { return heeded }))
		return list
	})
}

func eventsKey(list []history.Event) string {
	var b strings.Builder
	for _, e := range list {
		fmt.Fprintf(&b, "%s %s %d %s %s %s %d %d %d %d %d", e.Kind, e.Client, e.Thread, e.Node, e.Op, e.Outcome, e.Value, e.Version, e.Based, e.Fence, e.By)
		for _, ch := range e.Changes {
			fmt.Fprintf(&b, " %s %+v %+v", ch.Key, ch.Before, ch.After)
		}
		b.WriteByte('\n')
	}
	return b.String()
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
