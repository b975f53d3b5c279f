package history

import (
	"slices"

	"lockstep/internal/lang"
)

// A Monitor checks the invariants event by event. Its state is a fold over
// the history and nothing else.
type Monitor struct {
	config   Config
	quorum   int // nodes on which the lock must be owned; 0 for a strategy without one
	clients  []clientState
	keys     []nodeKey
	resource resourceState
	grants   int
	found    []Violation
	losses   bool // see KeepLosses
}

type clientState struct {
	name      string
	alive     bool
	depth     int // acquisitions not yet given back
	acquiring bool
	inside    bool
	grant     int // number of its latest grant, over all clients
	acquired  int // event of its latest grant
	entered   int
	read      int64       // value that it last read
	overwrote []overwrite // by the acquisition under way
	phantom   bool        // a phantom hold of the latest grant is known
	shutOut   bool        // so is that its own key keeps it out
	leaves    bool        // it is done with the lock, and has a key that it may yet remove
	cancelled bool        // its context has ended
	owned     bool        // it owned the lock before the event at hand
	// lost is how it lost the lock, if it had it since it began to acquire; or the lease before
	// the one of a nested acquisition.
	lost     Loss
	fault    string  // the verb of what came over its process, its clock or its connection
	drew     nodeKey // as it has acquired it, until it has given it back
	mistakes bool    // it has read its token in another client's key
}

type overwrite struct {
	seq  int
	node string
	took bool // it changed the value, so it may have become the owner
	late bool // the lease was over by its time, or may have been by the node's clock
}

type resourceState struct {
	version int64
	newest  int    // latest grant it has served ...
	by      string // ... and whose it was
	written int64
	left    int64
	writer  string // of the version at hand ...
	wrote   int    // ... and the event
	lost    []Loss // of its writer, unless that owned the lock
}

// NewMonitor watches a world of the given configuration whose strategy uses
// that many nodes.
func NewMonitor(c Config, nodes int) *Monitor {
	m := &Monitor{config: c}
	if nodes > 0 {
		m.quorum = nodes/2 + 1
	}
	for _, name := range c.Clients {
		m.clients = append(m.clients, clientState{name: name, alive: true})
	}
	m.resource.left = c.Items()
	return m
}

// Items says how often the guarded work may be done: the stock, or once.
func (c Config) Items() int64 {
	if c.Resource == "stock" {
		return c.Stock
	}
	return 1
}

// Check folds a whole history and returns what it violates.
func Check(h History) []Violation {
	m := NewMonitor(h.Config, h.Nodes)
	for _, e := range h.Events {
		m.Observe(e)
	}
	return m.Violations()
}

// Violations returns what was found so far, in the order of the events.
func (m *Monitor) Violations() []Violation { return m.found }

// Holds says whether the client believes that it holds the lock.
func (m *Monitor) Holds(client string) bool {
	c := m.client(client)
	return c != nil && c.depth > 0
}

// Owns says whether Redis agrees: the client owns the key on enough nodes.
func (m *Monitor) Owns(client string) bool {
	n := 0
	for _, k := range m.keys {
		if k.owner == client {
			n++
		}
	}
	return m.quorum > 0 && n >= m.quorum
}

// Inside says whether the client is in the critical section.
func (m *Monitor) Inside(client string) bool {
	c := m.client(client)
	return c != nil && c.inside
}

// Alive says whether the client has not crashed.
func (m *Monitor) Alive(client string) bool {
	c := m.client(client)
	return c != nil && c.alive
}

// Owner returns who owns the lock's key on a node; "" for nobody.
func (m *Monitor) Owner(node string) string {
	for _, k := range m.keys {
		if k.node == node {
			return k.owner
		}
	}
	return ""
}

// Observe takes the next event and returns the violations first known at it.
func (m *Monitor) Observe(e Event) []Violation {
	before := len(m.found)
	c := m.client(e.Client)
	m.noteFault(e, c)
	m.observeKeys(e, c)
	if c != nil {
		m.observeClient(e, c)
	}
	m.noteOwners(e)
	m.findPhantoms(e)
	return m.found[before:len(m.found):len(m.found)]
}

func (m *Monitor) observeClient(e Event, c *clientState) {
	switch {
	case e.Kind == Invoke && e.Op == OpAcquire:
		c.acquiring, c.leaves, c.overwrote = true, false, nil
		if c.depth == 0 && !c.owned {
			c.lost = Loss{}
		}
	case e.Kind == Invoke && e.Op == OpRelease:
		c.depth, c.mistakes = max(0, c.depth-1), false
	case e.Op == OpAcquire && e.Kind == Return && e.Outcome == Acquired:
		m.grant(e, c)
	case e.Op == OpAcquire && e.Kind == Return && e.Outcome == Refused:
		m.refuse(e, c)
	case e.Op == OpAcquire && (e.Kind == Fail || e.Kind == Unknown):
		c.acquiring = false
		if c.cancelled { // then it will not ask again
			m.findLeak(e, c)
		}
	case e.Op == OpRelease && (e.Kind == Return || e.Kind == Fail):
		m.findLeak(e, c)
	case e.Kind == Sleep && e.Strand == 0 && c.acquiring:
		m.findSelfDeadlock(e, c)
	case e.Kind == Blocked:
		m.violate(e, BlockedForever, c.name, "", e.located(lang.New("no timer or goroutine of its own brings it further within %v", e.By))).Lost = m.unknownTo(c)
	case e.Is(Crash), e.Kind == Panic:
		if e.Kind == Panic {
			m.violate(e, Panics, c.name, "", e.located(lang.Quote(e.Text)))
		}
		c.alive, c.inside, c.acquiring, c.leaves, c.cancelled, c.depth = false, false, false, false, false, 0
	case e.Kind == Resource:
		m.observeResource(e, c)
	}
	if c.depth == 0 && (!c.alive || e.Kind == Return || e.Kind == Fail || e.Kind == Unknown) {
		c.drew, c.mistakes = nodeKey{}, false
	}
}

// Waits reports whether a client holds the lock while another one tries to acquire it.
func (m *Monitor) Waits() bool {
	return slices.ContainsFunc(m.clients, func(c clientState) bool { return c.depth > 0 }) &&
		slices.ContainsFunc(m.clients, func(c clientState) bool { return c.acquiring && c.depth == 0 })
}

// grant notes an acquisition that succeeded. A value that it changed on the
// way makes the client the owner of a key that it did not create.
func (m *Monitor) grant(e Event, c *clientState) {
	for _, o := range c.overwrote {
		if k := m.key(o.node); o.took {
			k.owner, k.since, k.over, k.age = c.name, o.seq, o.late, 0
		}
	}
	// A nested acquisition continues the lease that its client has.
	if c.depth == 0 {
		m.grants++
		c.grant = m.grants
	}
	c.acquiring, c.overwrote, c.phantom = false, nil, false
	for i := range m.keys {
		if k := &m.keys[i]; k.owner == c.name {
			k.unknown = ""
		}
	}
	c.drew = m.drawnBy(c)
	c.depth++
	c.acquired = e.Seq
}

func (m *Monitor) refuse(e Event, c *clientState) {
	c.acquiring = false
	if len(c.overwrote) > 0 {
		o := c.overwrote[0]
		m.violate(e, OverwrittenLease, c.name, m.key(o.node).owner, lang.Message{}, o.seq)
	}
	m.findSelfDeadlock(e, c)
	c.overwrote = nil
}

// findSelfDeadlock flags a client that is kept out by its own key, once for as
// long as the key is its own.
func (m *Monitor) findSelfDeadlock(e Event, c *clientState) {
	if m.Owns(c.name) && !c.shutOut {
		c.shutOut = true
		m.violate(e, SelfDeadlock, c.name, "", lang.Message{}).Lost = m.unknownTo(c)
	}
}

// findLeak flags a client that is done with the lock and owns its key; if it may yet remove
// that, then at the key's deadline.
func (m *Monitor) findLeak(e Event, c *clientState) {
	if c.depth > 0 || !m.Owns(c.name) {
		return
	}
	if c.leaves = e.Busy; !e.Busy {
		m.violate(e, Leak, c.name, "", lang.Quote(e.Text)).Lost = m.unknownTo(c)
	}
}

func (m *Monitor) observeResource(e Event, c *clientState) {
	r := &m.resource
	switch e.Op {
	case Enter:
		for i := range m.clients {
			if o := &m.clients[i]; o != c && o.alive && o.inside {
				m.violate(e, MutualExclusion, c.name, o.name, lang.Message{}, o.entered).Lost = m.lossesOf(c, o)
			}
		}
		c.inside, c.entered, c.read = true, e.Seq, 0 // nothing read as yet
	case Leave, Abandon:
		c.inside, c.read = false, 0
	case ReadOp:
		c.read = e.Value
		r.serve(c)
	case WriteOp:
		// Each update takes one, and a 0 on top of a 0 took nothing.
		updates := e.Value > 0 || c.read > 0
		if updates {
			r.written++
		}
		losses := m.lossesOf(c)
		lost := e.Based != r.version || updates && e.Value >= r.left
		r.left = e.Value
		if m.quorum > 0 && !m.Owns(c.name) && r.newest > c.grant {
			m.violate(e, StaleWrite, c.name, r.by, lang.Message{}, m.lostAt(c)...).Lost = losses
		}
		if lost {
			m.violate(e, LostUpdate, c.name, r.writer, m.Consequence(), r.wrote).Lost = slices.Concat(r.lost, losses)
		}
		r.writer, r.wrote, r.lost = c.name, e.Seq, losses
		r.serve(c)
		r.version = e.Version
	}
}

// serve notes that the resource has dealt with a client's latest grant.
func (r *resourceState) serve(c *clientState) {
	if c.grant > r.newest {
		r.newest, r.by = c.grant, c.name
	}
}

func (m *Monitor) violate(e Event, invariant, client, other string, detail lang.Message, causes ...int) *Violation {
	causes = append(causes, e.Seq)
	slices.Sort(causes)
	m.found = append(m.found, Violation{
		Invariant: invariant, Seq: e.Seq, Client: client, Other: other,
		Key: m.config.Key(), Detail: detail, Causes: slices.Compact(causes),
	})
	return &m.found[len(m.found)-1]
}

func (m *Monitor) client(name string) *clientState {
	for i := range m.clients {
		if m.clients[i].name == name {
			return &m.clients[i]
		}
	}
	return nil
}

func (m *Monitor) key(node string) *nodeKey {
	for i := range m.keys {
		if m.keys[i].node == node {
			return &m.keys[i]
		}
	}
	m.keys = append(m.keys, nodeKey{node: node, ended: -1})
	return &m.keys[len(m.keys)-1]
}
