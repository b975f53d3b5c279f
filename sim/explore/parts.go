package explore

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"lockstep/sim"
	"lockstep/sim/history"
)

// A clientState is one client in a state of the world: where it is in its
// trie, and what the world owes its threads.
type clientState struct {
	node    int32
	dead    bool
	hung    bool
	offset  history.Millis // of its clock
	threads []threadState
}

type phase byte

const (
	idle     phase = iota // no command of the thread has left
	onTheWay              // its command has not reached the node
	answered              // the reply is there to be read
	lost                  // nothing will come
)

type threadState struct {
	phase phase
	reply string         // answered: its bytes
	until history.Millis // a sleeper wakes; a sender gives up
}

func (c *clientState) key() string {
	if c.dead {
		return "dead"
	}
	b := strconv.AppendInt(nil, int64(c.node), 10)
	b = strconv.AppendBool(append(b, ' '), c.hung)
	b = strconv.AppendInt(append(b, ' '), int64(c.offset), 10)
	for _, t := range c.threads {
		b = append(b, ' ', byte('0'+t.phase))
		b = strconv.AppendInt(append(b, ' '), int64(t.until), 10)
		b = strconv.AppendQuote(append(b, ' '), t.reply)
	}
	return string(b)
}

// An envState is what all clients share.
type envState struct {
	now      history.Millis
	nodes    []int32 // ids of node states
	resource sim.ResourceState
	late     []lateRequest
	faults   int // spent
	ticks    int // spent
}

// A lateRequest is on its way without anybody who waits for it.
type lateRequest struct {
	client int
	what   sim.Pending
}

func (e *envState) key() string {
	var b strings.Builder
	fmt.Fprint(&b, e.now, e.nodes, e.resource, e.faults, e.ticks)
	for _, l := range e.late {
		fmt.Fprint(&b, l.client, l.what.Node, l.what.Conn, l.what.Units)
	}
	return b.String()
}

func (e envState) clone() envState {
	e.nodes = slices.Clone(e.nodes)
	e.late = slices.Clone(e.late)
	return e
}

// An interner gives equal things the same small number.
type interner[T any] struct {
	ids  map[string]int32
	list []T
}

func (in *interner[T]) id(key string, make func() T) int32 {
	if id, ok := in.ids[key]; ok {
		return id
	}
	if in.ids == nil {
		in.ids = map[string]int32{}
	}
	id := int32(len(in.list))
	in.ids[key] = id
	in.list = append(in.list, make())
	return id
}

// parts holds everything that is learnt once: clients, node states, and what
// follows what. Global states are tuples of its ids.
type parts struct {
	config   history.Config
	subject  sim.Subject
	bounds   Bounds
	learners []*learner
	clients  []interner[*clientState] // by client
	envs     interner[*envState]
	nodes    interner[sim.NodeState]
	expiries []history.Millis // by node state: when the next key is gone; 0 for never
	monitors interner[*history.Monitor]
	lists    interner[[]history.Event]
	verbs    interner[history.Action]

	executed map[string]execution
	judged   map[[2]int32]judgement
	locals   map[localKey]local
	execs    int // of a real miniredis
}

type execution struct {
	node int32
	done []sim.Executed
}

// A judgement is what a monitor makes of a list of events.
type judgement struct {
	monitor int32
	found   []history.Violation
}

type localKey struct {
	client, env int32
	who         int16
	action      int16
}

// A local is what an action comes to for the client that it concerns and the
// world around it.
type local struct {
	client, env, events int32
}

func newParts(config history.Config, subject sim.Subject, b Bounds) *parts {
	p := &parts{
		config: config, subject: subject, bounds: b, executed: map[string]execution{},
		judged: map[[2]int32]judgement{}, locals: map[localKey]local{},
		clients: make([]interner[*clientState], len(config.Clients)),
	}
	for _, name := range config.Clients {
		p.learners = append(p.learners, newLearner(config, subject, name))
	}
	return p
}

func (p *parts) client(who int, c clientState) int32 {
	return p.clients[who].id(c.key(), func() *clientState { return &c })
}

func (p *parts) env(e envState) int32 {
	return p.envs.id(e.key(), func() *envState { return &e })
}

func (p *parts) node(s sim.NodeState) int32 {
	return p.nodes.id(s.String(), func() sim.NodeState {
		at, _ := s.NextExpiry()
		p.expiries = append(p.expiries, at)
		return s
	})
}

func (p *parts) monitor(m *history.Monitor) int32 {
	return p.monitors.id(m.Canonical(), func() *history.Monitor { return m })
}

func (p *parts) action(a history.Action) int16 {
	return int16(p.verbs.id(a.String(), func() history.Action { return a }))
}

// events gives a list of events a number. Places in a history are no part of
// it: no invariant depends on them.
func (p *parts) events(list []history.Event) int32 {
	for i := range list {
		list[i].Seq, list[i].Pick, list[i].At, list[i].Call, list[i].During = 0, 0, 0, 0, 0
	}
	return p.lists.id(eventsKey(list), func() []history.Event { return list })
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

// judge lets a monitor observe a list of events.
func (p *parts) judge(monitor, events int32) judgement {
	key := [2]int32{monitor, events}
	if j, ok := p.judged[key]; ok {
		return j
	}
	m := p.monitors.list[monitor].Clone()
	for _, e := range p.lists.list[events] {
		m.Observe(e)
	}
	j := judgement{found: m.Violations()}
	j.monitor = p.monitor(m.Clone())
	p.judged[key] = j
	return j
}

// execute lets a node execute what a thread is about to send.
func (p *parts) execute(node int32, who int, what *sim.Pending, now history.Millis) (execution, error) {
	conn := connName(p.config.Clients[who], what.Conn)
	key := fmt.Sprint(node, " ", what.Node, " ", conn, " ", now, " ", what.Units)
	if done, ok := p.executed[key]; ok {
		return done, nil
	}
	p.execs++
	after, done, err := p.nodes.list[node].Execute(sim.NodeName(what.Node), conn, what.Units, now)
	if err != nil {
		return execution{}, err
	}
	x := execution{p.node(after), done}
	p.executed[key] = x
	return x, nil
}
