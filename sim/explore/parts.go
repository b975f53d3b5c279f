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
	done    bool // all its code has come to its end; nothing else matters
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
	switch {
	case c.dead:
		return "dead"
	case c.done:
		return "done"
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
}

// A lateRequest is on its way without anybody who waits for it.
type lateRequest struct {
	client int
	what   sim.Pending
}

func (e *envState) key() string {
	var b strings.Builder
	fmt.Fprint(&b, e.now, e.nodes, e.resource)
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

// parts holds everything that is learnt once of a lock in a configuration:
// clients, node states, and what follows what. Global states are tuples of its
// ids. It knows no bounds, so that explorations under several hazards can share
// it.
type parts struct {
	config   history.Config
	subject  sim.Subject
	names    []string // of the clients; the last is the probe's
	learners []*learner
	clients  []interner[*clientState] // by client
	envs     interner[*envState]
	outlooks []outlook // by env
	nodes    interner[sim.NodeState]
	monitors interner[*history.Monitor]
	lists    interner[[]history.Event]
	heeded   interner[[]history.Event] // what is left of a list that a monitor heeds; 0 is nothing
	heeds    []int32                   // by list: what is left of it
	verbs    interner[history.Action]
	owners   []int32 // by action: the client that it concerns

	executed map[string]execution
	acts     map[actKey]move
	judged   index                          // judgements by monitor and what it heeds
	found    map[uint64][]history.Violation // the same, where there are any
	execs    int                            // of a real miniredis
}

// An outlook is what time, or a flush of scripts, does to an env.
type outlook struct {
	expiry history.Millis // when the next key will be gone; 0 for never
	passed []passage      // what was asked for so far
}

// A passage is time passing, or a flush.
type passage struct {
	to          history.Millis
	env, events int32
}

type execution struct {
	node int32
	done []sim.Executed
}

// A judgement is what a monitor makes of a list of events: the monitor that it
// becomes, and whether it finds a violation.
type judgement int32

func (j judgement) monitor() int32 { return int32(j) >> 1 }
func (j judgement) violates() bool { return j&1 != 0 }

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

func newParts(config history.Config, subject sim.Subject) *parts {
	subject = subject.In(config)
	p := &parts{
		config: config, subject: subject, names: append(slices.Clone(config.Clients), sim.Probe),
		executed: map[string]execution{}, acts: map[actKey]move{}, found: map[uint64][]history.Violation{},
	}
	p.monitor(history.NewMonitor(config, subject.Nodes))
	p.heeded.id(eventsKey(nil), func() []history.Event { return nil })
	p.clients = make([]interner[*clientState], len(p.names))
	for _, name := range p.names {
		p.learners = append(p.learners, newLearner(config, subject, name))
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

func (p *parts) client(who int, c clientState) int32 {
	return p.clients[who].id(c.key(), func() *clientState { return &c })
}

func (p *parts) env(e envState) int32 {
	return p.envs.id(e.key(), func() *envState {
		var o outlook
		for _, id := range e.nodes {
			if at, ok := p.nodes.list[id].NextExpiry(); ok && (o.expiry == 0 || at < o.expiry) {
				o.expiry = at
			}
		}
		p.outlooks = append(p.outlooks, o)
		return &e
	})
}

func (p *parts) node(s sim.NodeState) int32 {
	return p.nodes.id(s.String(), func() sim.NodeState { return s })
}

func (p *parts) monitor(m *history.Monitor) int32 {
	return p.monitors.id(string(m.Canonical()), func() *history.Monitor { return m })
}

// action gives an action a number. who is the client that it concerns; -1 for
// none.
func (p *parts) action(a history.Action, who int) int16 {
	return int16(p.verbs.id(a.String(), func() history.Action {
		p.owners = append(p.owners, int32(who))
		return a
	}))
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
func (p *parts) judge(monitor, heeded int32) judgement {
	key := pair(monitor, heeded)
	if j := p.judged.get(key); j >= 0 {
		return judgement(j)
	}
	m := p.monitors.list[monitor].Clone()
	for _, e := range p.heeded.list[heeded] {
		m.Observe(e)
	}
	j := judgement(p.monitor(m) << 1)
	if len(m.Violations()) > 0 {
		j |= 1
		p.found[key] = m.Violations()
	}
	p.judged.put(key, int32(j))
	return j
}

// pass lets time pass.
func (p *parts) pass(from int32, to history.Millis) passage {
	if known := p.passed(from, to); known != nil {
		return *known
	}
	s := p.envs.list[from].clone()
	list := []history.Event{{Kind: history.Clock, By: to - s.now}}
	s.now = to
	for i, id := range s.nodes {
		after, changes := p.nodes.list[id].Expire(to)
		if len(changes) > 0 {
			s.nodes[i] = p.node(after)
			list = append(list, history.Event{Kind: history.Expire, Node: sim.NodeName(i), Changes: changes})
		}
	}
	passed := passage{to, p.env(s), p.events(list)}
	p.outlooks[from].passed = append(p.outlooks[from].passed, passed)
	return passed
}

// passed returns what is known of time passing, or of a flush; nil for nothing.
func (p *parts) passed(from int32, to history.Millis) *passage {
	list := p.outlooks[from].passed
	for i := range list {
		if list[i].to == to {
			return &list[i]
		}
	}
	return nil
}

// byFlush stands for a flush of all scripts where a moment would stand.
const byFlush history.Millis = -1

// flush lets every node forget its scripts.
func (p *parts) flush(from int32) passage {
	if known := p.passed(from, byFlush); known != nil {
		return *known
	}
	s := p.envs.list[from].clone()
	for i, id := range s.nodes {
		s.nodes[i] = p.node(p.nodes.list[id].Flush())
	}
	events := p.events([]history.Event{{Kind: history.Fault, Op: string(history.Flush)}})
	flushed := passage{byFlush, p.env(s), events}
	p.outlooks[from].passed = append(p.outlooks[from].passed, flushed)
	return flushed
}

// execute lets a node execute what a thread is about to send. What comes of it
// depends on how long the keys have to live and not on the time, so that one
// execution serves at all times, unless somebody asks for the time.
func (p *parts) execute(node int32, who int, what *sim.Pending, now history.Millis) (execution, error) {
	state, at := p.nodes.list[node], now
	if !asksTime(state.Scripts, what.Units) {
		at = someTime
	}
	conn := connName(p.names[who], what.Conn)
	then := p.node(state.Shift(at - now))
	key := fmt.Sprint(then, " ", what.Node, " ", conn, " ", at, " ", what.Units)
	done, ok := p.executed[key]
	if !ok {
		p.execs++
		after, list, err := p.nodes.list[then].Execute(sim.NodeName(what.Node), conn, what.Units, at)
		if err != nil {
			return execution{}, err
		}
		done = execution{p.node(after), list}
		p.executed[key] = done
	}
	if at == now {
		return done, nil
	}
	moved := execution{node: p.node(p.nodes.list[done.node].Shift(now - at))}
	for _, x := range done.done {
		moved.done = append(moved.done, x.Shift(now-at))
	}
	return moved, nil
}

// someTime is the moment at which commands are executed.
const someTime = history.Millis(1 << 40)

// asksTime says whether the word TIME is in a command or a script.
func asksTime(scripts []string, units [][][]string) bool {
	has := func(s string) bool { return strings.Contains(strings.ToUpper(s), "TIME") }
	for _, cmds := range units {
		for _, cmd := range cmds {
			if slices.ContainsFunc(cmd, has) {
				return true
			}
		}
	}
	return slices.ContainsFunc(scripts, has)
}
