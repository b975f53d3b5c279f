package model

import (
	"context"
	"slices"

	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/internal/pairs"
	"lockstep/sim/program"
	"lockstep/sim/server"
)

// A Model is everything that is learnt of a lock in a configuration: clients,
// envs, and what follows what. What clients and envs are in is numbered, and so
// are actions, lists of events and monitors. It is for one goroutine, but that
// what is known may be asked for by many while nobody learns.
type Model struct {
	Config  history.Config // not to be changed, as all here
	Subject program.Subject
	Names   []string // of the clients; the last is the probe's

	learners []*learner
	parties  sim.Parties // the learnt ones
	emitted  []history.Event
	clients  []interner[*clientState] // by client
	envs     interner[*envState]
	byEnv    []envMemo // by env
	nodes    interner[server.NodeState]
	actions  actionNumbers
	monitors interner[*history.Monitor]
	lists    interner[[]history.Event]
	// visibles are what is left of lists without what a monitor ignores; the
	// first is nothing.
	visibles  interner[[]history.Event]
	visibleOf []int32              // by list
	judged    pairs.Map[Judgement] // by monitor and what is visible to it
	steps     [][]int16            // by client and strand: the number of a step
	instances map[faultOf][]int16  // the numbers of what a fault may be
	effects   memo[Effect]         // of actions of clients
	enabled   memo[enabled]        // what clients can do
	views     []views
	viewed    interner[struct{}]
	faultless []pairs.Map[int32] // by client: without what EndFaults ends; the last is that of envs

	// What a question is asked with: a state, what belongs to it, what of it has
	// been touched; and room for keys and lists.
	scratch sim.State
	strands []sim.Strand
	asked   []int16
	answers []Effect
	refs    []sim.Ref
	touched footprint
	key     []byte

	executed map[string]execution
	shifted  map[shifting]sim.Ref
	timed    map[string]bool // by word of a command: whether it asks for the time
	execs    int             // of a real miniredis
}

// New returns the model of a lock, of which nothing has been learnt yet. For
// ctx see world.World.Within.
func New(ctx context.Context, config history.Config, subject program.Subject) *Model {
	m := &Model{Config: config, Subject: subject.In(config)}
	m.begin(ctx, false)
	return m
}

// Straighten forgets everything, and from then on learns code that spins like
// any other.
func (m *Model) Straighten(ctx context.Context) {
	m.Close()
	clients, execs := m.Runs()
	m.begin(ctx, true)
	m.learners[0].runs, m.execs = m.learners[0].runs+clients, execs
}

// Straight says whether it does so.
func (m *Model) Straight() bool { return m.learners[0].straight }

func (m *Model) begin(ctx context.Context, straight bool) {
	config, subject := m.Config, m.Subject
	*m = Model{
		Config: config, Subject: subject, Names: append(slices.Clone(config.Clients), sim.Probe),
		executed: map[string]execution{}, shifted: map[shifting]sim.Ref{}, timed: map[string]bool{},
		instances: map[faultOf][]int16{},
	}
	m.actions.ids = map[history.Action]int16{}
	m.monitor(history.NewMonitor(config, subject.Nodes))
	m.visibles.id(nil, func() []history.Event { return nil })
	m.parties = sim.Parties{Config: config, Names: m.Names, Store: learntStore{m}, Emit: m.emit, KeepTime: subject.KeepsTime()}
	clients := len(m.Names)
	m.clients, m.steps, m.faultless = make([]interner[*clientState], clients), make([][]int16, clients), make([]pairs.Map[int32], clients+1)
	m.effects.questions, m.enabled.questions = make([]pairs.Map[int32], clients), make([]pairs.Map[int32], clients)
	m.scratch.Clients = make([]sim.ClientState, clients)
	for _, name := range m.Names {
		l := newLearner(ctx, config, subject, name)
		l.straight = straight || subject.KeepsTime() // so much real code takes long
		m.learners, m.parties.Programs = append(m.learners, l), append(m.parties.Programs, l)
	}
	for i := range subject.Nodes {
		m.parties.Servers = append(m.parties.Servers, learntNode{m, i, sim.NodeName(i)})
	}
}

// Close ends all code that waits to be run. More can be learnt all the same.
func (m *Model) Close() {
	for _, l := range m.learners {
		l.close()
	}
}

// Runs counts how often real code of a client ran, and how often a real
// miniredis executed something.
func (m *Model) Runs() (clients, nodes int) {
	for _, l := range m.learners {
		clients += l.runs
	}
	return clients, m.execs
}

// Verify runs every client's code a second time along paths that only one run
// has taken. The error wraps ErrNondeterministic if it does something else.
func (m *Model) Verify() error {
	for _, l := range m.learners {
		if err := l.verify(); err != nil {
			return err
		}
	}
	return nil
}

// Fresh is a client of which no code has run.
func (m *Model) Fresh(who int) int32 {
	return m.client(who, sim.ClientState{Strands: make([]sim.Strand, len(m.learners[who].nodes[0].wants))})
}

// FreshEnv is the env in which everything begins.
func (m *Model) FreshEnv() int32 {
	s := sim.State{Resource: sim.ResourceState{Value: m.Config.Items()}}
	for range m.Subject.Nodes {
		s.Nodes = append(s.Nodes, m.node(server.NodeState{Lag: m.Config.Lag}))
	}
	return m.env(s)
}

// FreshMonitor is the monitor that has seen nothing.
const FreshMonitor = 0

// Sizes says how many numbers there are so far of each client but the probe, of
// envs and of monitors.
func (m *Model) Sizes() (sizes []int) {
	for who := range m.Config.Clients {
		sizes = append(sizes, len(m.clients[who].list))
	}
	return append(sizes, len(m.envs.list), len(m.monitors.list))
}

// Client returns what a client is in. It must not be changed.
func (m *Model) Client(who int, client int32) *sim.ClientState {
	return &m.clients[who].list[client].ClientState
}

// Now is the time in an env.
func (m *Model) Now(env int32) history.Millis { return m.envs.list[env].now }

// Nodes returns what the nodes of an env are in.
func (m *Model) Nodes(env int32) (nodes []server.NodeState) {
	for _, id := range m.envs.list[env].nodes {
		nodes = append(nodes, m.nodes.list[id])
	}
	return nodes
}

// NextExpiry returns when the next key of an env will be gone; 0 for never.
func (m *Model) NextExpiry(env int32) history.Millis { return m.byEnv[env].expiry }

// Action returns the action with a number.
func (m *Model) Action(n int16) history.Action { return m.actions.list[n] }

// Number gives an action a number.
func (m *Model) Number(a history.Action) int16 {
	n, ok := m.actions.ids[a]
	if !ok {
		n = int16(len(m.actions.list))
		m.actions.ids[a] = n
		m.actions.list = append(m.actions.list, a)
	}
	return n
}

// actionNumbers gives actions numbers.
type actionNumbers struct {
	ids  map[history.Action]int16
	list []history.Action
}

func (m *Model) client(who int, s sim.ClientState) int32 {
	c := canonical(s)
	m.key = c.append(m.key[:0])
	return m.clients[who].id(m.key, func() *clientState {
		own := c
		own.Strands = slices.Clone(own.Strands)
		return &own
	})
}

func (m *Model) env(s sim.State) int32 {
	return m.intern(&envState{s.Now, s.Nodes, s.Resource, s.Abandoned})
}

// intern gives an env a number.
func (m *Model) intern(e *envState) int32 {
	m.key = e.append(m.key[:0], ^footprint(0))
	return m.envs.id(m.key, func() *envState {
		own := *e
		own.nodes = slices.Clone(own.nodes)
		var of envMemo
		for _, id := range own.nodes {
			at, _ := m.nodes.list[id].NextExpiry() // 0 for never
			of.expiry = Sooner(of.expiry, at)
		}
		m.byEnv = append(m.byEnv, of)
		return &own
	})
}

func (m *Model) node(s server.NodeState) sim.Ref {
	m.key = s.Append(m.key[:0])
	return sim.Ref(m.nodes.id(m.key, func() server.NodeState { return s }))
}

// Sooner returns the earlier of two moments, of which 0 is never.
func Sooner(a, b history.Millis) history.Millis {
	if a == 0 || b > 0 && b < a {
		return b
	}
	return a
}

// What is learnt takes about so many bytes each, keys and maps included. They
// were measured, over locks that learn much and locks that learn little.
const (
	bytesPerNode    = 1600 // of what a client has observed
	bytesPerClient  = 400  // state of a client
	bytesPerEnv     = 1000 // state of the world around the clients
	bytesPerMonitor = 2000
	bytesPerEffect  = 64
	bytesPerRun     = 1500 // of a real miniredis
)

// Bytes estimates how much memory takes what is learnt. It counts and does not
// measure: what a limit ends, it ends at the same place on every machine.
func (m *Model) Bytes() int {
	n := bytesPerEnv*len(m.envs.list) + bytesPerMonitor*len(m.monitors.list) +
		bytesPerEffect*len(m.effects.answers) + bytesPerRun*len(m.executed)
	for who, l := range m.learners {
		n += bytesPerNode*len(l.nodes) + bytesPerClient*len(m.clients[who].list)
	}
	return n
}
