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

// A Model holds all that is learned about a lock in a configuration. It numbers
// the states of clients and envs, the actions, the lists of events and the
// monitors. One goroutine at a time may learn; while none does, many may read
// what is known.
type Model struct {
	Config  history.Config // the caller must not change it, or any field here
	Subject program.Subject
	Names   []string // of the clients; the last is sim.Probe

	learners  []*learner  // by client
	exact     bool        // no ways are merged
	relearned bool        // see Merging
	parties   sim.Parties // the learned parties
	emitted   []history.Event
	clients   []interner[*clientState] // by client
	envs      interner[*envState]
	byEnv     []envMemo // by env
	nodes     interner[server.Value]
	actions   actionNumbers
	monitors  interner[*history.Monitor]
	losses    bool // see KeepLosses
	lists     interner[[]history.Event]
	// visibles are the lists without the events that a monitor ignores; the
	// first is empty.
	visibles  interner[[]history.Event]
	visibleOf []int32              // by list
	judged    pairs.Map[Judgement] // by monitor and visible list
	steps     [][]int16            // the number of a step, by client and strand
	instances map[faultOf][]int16  // the actions of a kind of fault
	effects   memo[Effect]         // of actions of clients
	enabled   memo[enabled]        // steps of clients
	views     []views
	viewed    interner[struct{}]
	faultless pairs.Map[int32] // by client or env, and whose it is: the number after EndFaults
	recovery  recovery

	// The state of the present question, what it has touched, and buffers for
	// keys and lists.
	scratch sim.State
	strands []sim.Strand
	asked   []int16
	answers []Effect
	refs    []sim.Ref
	touched footprint
	key     []byte

	executed map[string]execution
	shifted  map[shifting]sim.Ref
	timed    map[string]bool // by word of a command: whether it reads the time
	execs    int             // by a real miniredis
}

// New returns a model of a lock that has learned nothing. If it is exact, it
// keeps all orders of a client's strands apart. For ctx see world.World.Within.
func New(ctx context.Context, config history.Config, subject program.Subject, exact bool) *Model {
	config.Scripts = history.NoScripts // nobody has run before
	m := &Model{Config: config, Subject: subject.In(config), exact: exact}
	m.begin(ctx, false)
	return m
}

// IgnoreSpins resets the model and disables the detection of code that spins.
func (m *Model) IgnoreSpins(ctx context.Context) { m.restart(ctx, true) }

// restart resets the model, but not the number of runs.
func (m *Model) restart(ctx context.Context, ignoreSpins bool) {
	m.Close()
	clients, execs := m.Runs()
	m.begin(ctx, ignoreSpins)
	m.learners[0].runs, m.execs = m.learners[0].runs+clients, execs
}

// Relearn resets the model, after ErrRemembers, and keeps all ways apart.
func (m *Model) Relearn(ctx context.Context) {
	m.exact, m.relearned = true, true
	m.restart(ctx, m.IgnoresSpins())
}

// IgnoresSpins reports whether IgnoreSpins was called.
func (m *Model) IgnoresSpins() bool { return m.learners[0].ignoresSpins }

func (m *Model) begin(ctx context.Context, ignoreSpins bool) {
	config, subject, exact, relearned, losses := m.Config, m.Subject, m.exact, m.relearned, m.losses
	*m = Model{
		exact: exact, relearned: relearned, losses: losses,
		Config: config, Subject: subject, Names: append(slices.Clone(config.Processes()), sim.Probe),
		executed: map[string]execution{}, shifted: map[shifting]sim.Ref{}, timed: map[string]bool{},
		instances: map[faultOf][]int16{},
	}
	m.actions.ids = map[history.Action]int16{}
	fresh := history.NewMonitor(config, subject.Nodes)
	if losses {
		fresh.KeepLosses()
	}
	m.monitor(fresh)
	m.visibles.id(nil, func() []history.Event { return nil })
	m.parties = sim.Parties{Config: config, Names: m.Names, Store: learnedStore{m}, Emit: m.emit, KeepTime: subject.KeepsTime()}
	clients := len(m.Names)
	m.clients, m.steps = make([]interner[*clientState], clients), make([][]int16, clients)
	m.effects.questions, m.enabled.questions = make([]pairs.Map[int32], clients), make([]pairs.Map[int32], clients)
	m.recovery = newRecovery(clients)
	m.scratch.Clients = make([]sim.ClientState, clients)
	for _, name := range m.Names {
		l := newLearner(ctx, config, subject, name, exact)
		l.ignoresSpins = ignoreSpins
		m.learners, m.parties.Programs = append(m.learners, l), append(m.parties.Programs, l)
	}
	for i := range subject.Nodes {
		m.parties.Servers = append(m.parties.Servers, learnedNode{server.Node{Name: history.NodeName(i), Holder: numbered{m, i}}, m})
	}
}

// Close ends all waiting runs. The model can still learn.
func (m *Model) Close() {
	for _, l := range m.learners {
		l.close()
	}
}

// Runs returns how often a client's real code was started, and how often a real
// miniredis executed a command.
func (m *Model) Runs() (clients, nodes int) {
	for _, l := range m.learners {
		clients += l.runs
	}
	return clients, m.execs
}

// Verify runs each client's code a second time along paths that only one run
// has taken, until ctx ends. The error wraps program.ErrNondeterministic or ErrCounts if a
// run differs.
func (m *Model) Verify(ctx context.Context) error {
	return m.forEach(func(l *learner) error { return l.verify(ctx) })
}

func (m *Model) forEach(do func(*learner) error) error {
	for _, l := range m.learners {
		if err := do(l); err != nil {
			return err
		}
	}
	return nil
}

// A Merging is what a model has taken to be equal.
type Merging struct {
	Ways int `json:"ways"` // that are taken to lead where another does
	Runs int `json:"runs"` // of real code that went these
	// Relearned says that the code remembers the order of its strands, so that
	// all was learned again and nothing was merged.
	Relearned bool `json:"relearned"`
}

// Merging returns what the model has taken to be equal.
func (m *Model) Merging() Merging {
	all := Merging{Relearned: m.relearned}
	for _, l := range m.learners {
		all.Ways += l.merging.merged
		all.Runs += l.merging.runs
	}
	return all
}

// VerifyMerges lets code go every way that is taken to lead where another does. The error
// wraps ErrRemembers if the code acts differently there. When ctx ends, it stops, and all
// is verified if it is called again.
func (m *Model) VerifyMerges(ctx context.Context) error {
	return m.forEach(func(l *learner) error { return l.verifyMerges(ctx) })
}

// Fresh returns the state of a client whose code has not run.
func (m *Model) Fresh(who int) int32 {
	return m.client(who, sim.ClientState{Strands: make([]sim.Strand, len(m.learners[who].nodes[0].wants))})
}

// FreshEnv returns the first env.
func (m *Model) FreshEnv() int32 {
	s := sim.State{Resource: sim.ResourceState{Value: m.Config.Items()}}
	for range m.Subject.Nodes {
		s.Nodes = append(s.Nodes, m.node(server.New(m.Subject.Server, m.Config)))
	}
	return m.env(s)
}

// FreshMonitor is the monitor that has observed nothing.
const FreshMonitor = 0

// Client returns a state of a client. The caller must not change it.
func (m *Model) Client(who int, client int32) *sim.ClientState {
	return &m.clients[who].list[client].ClientState
}

// Now returns the time in an env.
func (m *Model) Now(env int32) history.Millis { return m.envs.list[env].now }

// Nodes returns the states of the nodes in an env.
func (m *Model) Nodes(env int32) (nodes []server.Value) {
	for _, id := range m.envs.list[env].nodes {
		nodes = append(nodes, m.nodes.list[id])
	}
	return nodes
}

// NextExpiry returns when the next key of an env expires; 0 for never.
func (m *Model) NextExpiry(env int32) history.Millis { return m.byEnv[env].expiry }

// Action returns the action with a number.
func (m *Model) Action(n int16) history.Action { return m.actions.list[n] }

// Number returns the number of an action, and assigns it if necessary.
func (m *Model) Number(a history.Action) int16 {
	n, ok := m.actions.ids[a]
	if !ok {
		n = int16(len(m.actions.list))
		m.actions.ids[a] = n
		m.actions.list = append(m.actions.list, a)
	}
	return n
}

// actionNumbers numbers actions.
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

// intern returns the number of an env.
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

func (m *Model) node(s server.Value) sim.Ref {
	m.key = s.Append(m.key[:0])
	return sim.Ref(m.nodes.id(m.key, func() server.Value { return s }))
}

// Sooner returns the earlier of two moments; 0 means never.
func Sooner(a, b history.Millis) history.Millis {
	if a == 0 || b > 0 && b < a {
		return b
	}
	return a
}

// The approximate memory of each learned item in bytes, keys and maps included.
// They were measured over locks that need much and little.
const (
	bytesPerNode    = 1600 // of a client's trie
	bytesPerClient  = 400  // state of a client
	bytesPerEnv     = 1000 // an environment
	bytesPerMonitor = 2000
	bytesPerEffect  = 64
	bytesPerRun     = 1500 // of a real miniredis
	bytesPerTrial   = 70   // of a state whose recovery is decided
	bytesPerTurn    = 75   // of a client on the way to recovery
)

// Bytes estimates the memory of the model. It counts instead of measuring, so
// that a limit ends a search at the same place on every machine.
func (m *Model) Bytes() int {
	n := bytesPerEnv*len(m.envs.list) + bytesPerMonitor*len(m.monitors.list) +
		bytesPerEffect*len(m.effects.known) + bytesPerRun*len(m.executed) + m.recovery.bytes()
	for _, l := range m.learners {
		n += bytesPerNode * len(l.nodes)
	}
	for who := range m.clients {
		n += bytesPerClient * len(m.clients[who].list)
	}
	return n
}
