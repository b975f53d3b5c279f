package history

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
)

// The invariants. The prose data says what each means to a learner; the
// comments here say exactly when one is violated.
const (
	// MutualExclusion: a client enters the critical section while another
	// living client is inside.
	MutualExclusion = "mutual-exclusion"
	// ForeignRelease: a client's command removes (or, outside an acquisition,
	// overwrites) the key of another living client that holds the lock or is
	// about to learn that it does.
	ForeignRelease = "foreign-release"
	// ForeignRenewal: a client's command changes the deadline of such a key.
	ForeignRenewal = "foreign-renewal"
	// OverwrittenLease: an acquisition is refused, and one of its commands had
	// changed the value or the deadline of a key that was another's.
	OverwrittenLease = "overwritten-lease"
	// PhantomHold: a living client was told that it acquired, has not begun to
	// release, and does not own the key (on a quorum of the nodes).
	PhantomHold = "phantom-hold"
	// LockRecovers: decided by trying, not by Monitor; see sim.Recovers.
	LockRecovers = "lock-recovers"
	// SelfDeadlock: a client is refused, or goes to sleep while acquiring, and
	// owns the key itself.
	SelfDeadlock = "self-deadlock"
	// StaleWrite: the resource accepts a write from a client that no longer
	// owns the lock, after it has served a client that acquired later.
	StaleWrite = "stale-write"
	// LostUpdate: an accepted write replaces a version that its client had not
	// read.
	LostUpdate = "lost-update"
	// Leak: a release came back, with an answer or an error, and the client
	// still owns the key.
	Leak = "leak"
)

// Invariants lists all ids in the order in which they are shown.
var Invariants = []string{
	MutualExclusion, ForeignRelease, ForeignRenewal, OverwrittenLease, PhantomHold,
	LockRecovers, SelfDeadlock, StaleWrite, LostUpdate, Leak,
}

// A Violation is one invariant failing at one event.
type Violation struct {
	Invariant string `json:"invariant"`
	Seq       int    `json:"seq"`              // the first event at which it is known
	Client    string `json:"client,omitempty"` // who broke it
	Other     string `json:"other,omitempty"`  // who else is concerned
	Key       string `json:"key,omitempty"`
	Detail    string `json:"detail,omitempty"` // a measured fact
	Causes    []int  `json:"causes,omitempty"` // events that led to it, in order
}

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
}

type overwrite struct {
	seq  int
	node string
	took bool // it changed the value, so it may have become the owner
}

// A nodeKey is the lock's key on one node.
type nodeKey struct {
	node  string
	owner string // who created it or took it over; "" while it is absent
	since int
	ended int      // the event that last removed it
	past  []string // its owners before the node's last writes, the latest first; Config.Lag at most
}

type resourceState struct {
	version int64
	newest  int    // latest grant it has served ...
	by      string // ... and whose it was
	written int64
	left    int64
	writer  string // of the version at hand ...
	wrote   int    // ... and the event
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
	return c != nil && c.alive && c.depth > 0
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
	return c != nil && c.alive && c.inside
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
	m.observeKeys(e, c)
	if c != nil {
		m.observeClient(e, c)
	}
	m.findPhantoms(e)
	return m.found[before:len(m.found):len(m.found)]
}

func (m *Monitor) observeClient(e Event, c *clientState) {
	switch {
	case e.Kind == Invoke && e.Op == OpAcquire:
		c.acquiring, c.overwrote = true, nil
	case e.Kind == Invoke && e.Op == OpRelease:
		c.depth = max(0, c.depth-1)
	case e.Op == OpAcquire && e.Kind == Return && e.Outcome == Acquired:
		m.grant(e, c)
	case e.Op == OpAcquire && e.Kind == Return && e.Outcome == Refused:
		m.refuse(e, c)
	case e.Op == OpAcquire && (e.Kind == Fail || e.Kind == Unknown):
		c.acquiring = false
	case e.Op == OpRelease && (e.Kind == Return || e.Kind == Fail):
		if c.depth == 0 && m.Owns(c.name) {
			m.violate(e, Leak, c.name, "", e.Text)
		}
	case e.Kind == Sleep && e.Thread == 0 && c.acquiring:
		m.findSelfDeadlock(e, c)
	case e.Kind == Fault && e.Op == string(Crash), e.Kind == Panic:
		c.alive, c.inside, c.acquiring, c.depth = false, false, false, 0
	case e.Kind == Resource:
		m.observeResource(e, c)
	}
}

// grant notes an acquisition that succeeded. A value that it changed on the
// way makes the client the owner of a key that it did not create.
func (m *Monitor) grant(e Event, c *clientState) {
	for _, o := range c.overwrote {
		if k := m.key(o.node); o.took && k.owner != "" {
			k.owner, k.since = c.name, o.seq
		}
	}
	// A nested acquisition continues the lease that its client has.
	if c.depth == 0 {
		m.grants++
		c.grant = m.grants
	}
	c.acquiring, c.overwrote, c.phantom = false, nil, false
	c.depth++
	c.acquired = e.Seq
}

func (m *Monitor) refuse(e Event, c *clientState) {
	c.acquiring = false
	if len(c.overwrote) > 0 {
		o := c.overwrote[0]
		m.violate(e, OverwrittenLease, c.name, m.key(o.node).owner, "", o.seq)
	}
	m.findSelfDeadlock(e, c)
	c.overwrote = nil
}

// findSelfDeadlock flags a client that is kept out by its own key, once for as
// long as the key is its own.
func (m *Monitor) findSelfDeadlock(e Event, c *clientState) {
	if m.Owns(c.name) && !c.shutOut {
		c.shutOut = true
		m.violate(e, SelfDeadlock, c.name, "", "")
	}
}

func (m *Monitor) observeKeys(e Event, by *clientState) {
	promoted := m.replicas(e)
	for _, ch := range e.Changes {
		if ch.Key != m.config.Key() {
			continue
		}
		k := m.key(e.Node)
		switch {
		case ch.Before == nil && ch.After != nil:
			k.owner, k.since = e.Client, e.Seq
		case ch.After == nil:
			m.released(e, by, k)
			k.owner, k.ended = "", e.Seq
		case by != nil && k.owner != by.name:
			m.changed(e, by, k, ch)
		}
		if ch.After != nil && promoted != "" {
			k.owner = promoted
		}
	}
}

// replicas keeps account of who owned the key when a node's replica last heard
// of it. If that replica takes over, it returns the owner.
func (m *Monitor) replicas(e Event) (promoted string) {
	if m.config.Lag == 0 || e.Node == "" {
		return ""
	}
	k := m.key(e.Node)
	switch {
	case e.Kind == Apply && len(e.Changes) > 0:
		k.past = slices.Insert(slices.Clone(k.past), 0, k.owner)
		k.past = k.past[:min(len(k.past), m.config.Lag)]
	case e.Kind == Fault && e.Op == string(Promote) && int(e.By) <= len(k.past):
		promoted, k.past = k.past[e.By-1], nil
	case e.Kind == Fault && e.Op == string(Wipe):
		k.past = nil
	}
	return promoted
}

// released flags the removal of another's lock.
func (m *Monitor) released(e Event, by *clientState, k *nodeKey) {
	if by != nil && k.owner != by.name && m.claims(k.owner) {
		m.violate(e, ForeignRelease, by.name, k.owner, "", k.since)
	}
}

// changed judges a command that left another's key in place.
func (m *Monitor) changed(e Event, by *clientState, k *nodeKey, ch Change) {
	took := ch.Before.Value != ch.After.Value
	// A command may apply after its acquisition ended: it then belongs to none.
	if by.acquiring {
		by.overwrote = append(by.overwrote, overwrite{e.Seq, e.Node, took})
	} else if took {
		m.released(e, by, k)
		k.owner, k.since = by.name, e.Seq
	}
	if !took && ch.Before.Deadline != ch.After.Deadline && m.claims(k.owner) {
		m.violate(e, ForeignRenewal, by.name, k.owner, deadlines(ch), k.since)
	}
}

func deadlines(ch Change) string {
	text := func(d Millis) string {
		if d == 0 {
			return "no TTL"
		}
		return d.String()
	}
	return fmt.Sprintf("deadline %s -> %s", text(ch.Before.Deadline), text(ch.After.Deadline))
}

func (m *Monitor) observeResource(e Event, c *clientState) {
	r := &m.resource
	switch e.Op {
	case Enter:
		for i := range m.clients {
			if o := &m.clients[i]; o != c && o.alive && o.inside {
				m.violate(e, MutualExclusion, c.name, o.name, "", o.entered)
			}
		}
		c.inside, c.entered, c.read = true, e.Seq, 0 // nothing read as yet
	case Leave, Abandon:
		c.inside = false
	case ReadOp:
		c.read = e.Value
		r.serve(c)
	case WriteOp:
		if e.Value != c.read {
			r.written++
		}
		r.left = e.Value
		if m.quorum > 0 && !m.Owns(c.name) && r.newest > c.grant {
			m.violate(e, StaleWrite, c.name, r.by, "", m.lostAt(c)...)
		}
		if e.Based != r.version {
			m.violate(e, LostUpdate, c.name, r.writer, m.Consequence(), r.wrote)
		}
		r.writer, r.wrote = c.name, e.Seq
		r.serve(c)
		r.version = e.Version
	}
}

// findPhantoms looks for clients whose belief has just become wrong.
func (m *Monitor) findPhantoms(e Event) {
	if m.quorum == 0 {
		return
	}
	for i := range m.clients {
		c := &m.clients[i]
		if m.Owns(c.name) {
			continue
		}
		c.shutOut = false
		if c.alive && c.depth > 0 && !c.phantom {
			c.phantom = true
			m.violate(e, PhantomHold, c.name, m.holder(), "", c.acquired)
		}
	}
}

// holder returns who owns the lock on enough nodes; "" for nobody.
func (m *Monitor) holder() string {
	for _, c := range m.clients {
		if m.Owns(c.name) {
			return c.name
		}
	}
	return ""
}

// lostAt returns the event at which the client's key was last removed.
func (m *Monitor) lostAt(c *clientState) []int {
	last := -1
	for _, k := range m.keys {
		if k.owner != c.name {
			last = max(last, k.ended)
		}
	}
	if last < 0 {
		return nil
	}
	return []int{last}
}

// claims says whether the client was told that it holds the lock, or is about
// to learn it. On several nodes a minority of keys is no lock.
func (m *Monitor) claims(client string) bool {
	c := m.client(client)
	return c != nil && c.alive && (c.depth > 0 || c.acquiring && m.Owns(client))
}

// serve notes that the resource has dealt with a client's latest grant.
func (r *resourceState) serve(c *clientState) {
	if c.grant > r.newest {
		r.newest, r.by = c.grant, c.name
	}
}

func (m *Monitor) violate(e Event, invariant, client, other, detail string, causes ...int) {
	causes = append(causes, e.Seq)
	slices.Sort(causes)
	m.found = append(m.found, Violation{
		Invariant: invariant, Seq: e.Seq, Client: client, Other: other,
		Key: m.config.Key(), Detail: strings.TrimSpace(detail), Causes: slices.Compact(causes),
	})
}

// Clone returns a monitor that goes on from here by itself, with nothing found
// so far.
func (m *Monitor) Clone() *Monitor {
	clone := *m
	clone.clients = slices.Clone(m.clients)
	for i := range clone.clients {
		clone.clients[i].overwrote = slices.Clone(clone.clients[i].overwrote)
	}
	clone.keys = slices.Clone(m.keys)
	clone.found = nil
	return &clone
}

// Renamed returns the monitor of a world in which each client is another:
// perm[i] is which client the i-th becomes.
func (m *Monitor) Renamed(perm []int) *Monitor {
	renamed := m.Clone()
	name := func(old string) string {
		for i := range m.clients {
			if m.clients[i].name == old {
				return m.clients[perm[i]].name
			}
		}
		return old
	}
	for i, to := range perm {
		c := m.clients[i]
		c.name = m.clients[to].name
		c.overwrote = slices.Clone(c.overwrote)
		renamed.clients[to] = c
	}
	for i := range renamed.keys {
		k := &renamed.keys[i]
		k.owner, k.past = name(k.owner), slices.Clone(k.past)
		for j := range k.past {
			k.past[j] = name(k.past[j])
		}
	}
	renamed.resource.by = name(renamed.resource.by)
	renamed.resource.writer = name(renamed.resource.writer)
	return renamed
}

// Canonical writes the monitor's state as bytes: two monitors of the same
// configuration with the same bytes find the same violations in the same
// future. What no longer matters is left out, and of grants only the order
// counts.
func (m *Monitor) Canonical() []byte {
	r := m.resource
	b := make([]byte, 0, 64)
	number := func(n int64) { b = binary.AppendVarint(b, n) }
	flags := func(list ...bool) {
		n := byte(0)
		for i, on := range list {
			if on {
				n |= 1 << i
			}
		}
		b = append(b, n)
	}
	number(r.version)
	number(r.written)
	number(r.left)
	number(m.rank(r.newest))
	for i := range m.clients {
		c := &m.clients[i]
		flags(c.alive, c.acquiring, c.inside, c.phantom && c.depth > 0, c.shutOut && c.alive)
		number(int64(c.depth))
		if c.inside || m.quorum == 0 {
			number(c.read)
		}
		if c.active() {
			number(m.rank(c.grant))
		}
		if c.acquiring {
			number(int64(len(c.overwrote)))
			for _, o := range c.overwrote {
				flags(o.took)
				b = append(append(b, o.node...), 0)
			}
		}
	}
	return m.appendOwners(b)
}

// appendOwners writes who owns the key, node by node in the order of their
// names, and who did when a replica last heard of it.
func (m *Monitor) appendOwners(b []byte) []byte {
	for node := ""; ; {
		var next *nodeKey
		for i := range m.keys {
			k := &m.keys[i]
			if (k.owner != "" || len(k.past) > 0) && k.node > node && (next == nil || k.node < next.node) {
				next = k
			}
		}
		if next == nil {
			return b
		}
		b = append(append(b, next.node...), 0)
		for _, owner := range append([]string{next.owner}, next.past...) {
			b = append(append(b, owner...), 0)
		}
		if m.config.Lag > 0 {
			b = append(b, 1) // no name begins so: the list ends
		}
		node = next.node
	}
}

// active says whether the client's latest grant can still matter: it writes
// only between an acquisition and its release.
func (c *clientState) active() bool { return c.alive && (c.depth > 0 || c.inside) }

// rank says how many grants that matter are older than one.
func (m *Monitor) rank(grant int) (n int64) {
	for i := range m.clients {
		if c := &m.clients[i]; c.active() && c.grant < grant {
			n++
		}
	}
	return n
}

// Ignores says whether an event of that kind can neither change the monitor's
// state nor violate anything.
func (m *Monitor) Ignores(e Event) bool {
	switch e.Kind {
	case Invoke, Return, Fail, Unknown, Panic, Resource:
		return false
	case Sleep:
		return e.Thread != 0
	case Fault:
		if e.Op == string(Crash) || e.Op == string(Promote) || e.Op == string(Wipe) {
			return false
		}
	case Apply:
		if m.config.Lag > 0 && len(e.Changes) > 0 {
			return false
		}
	}
	return !slices.ContainsFunc(e.Changes, func(ch Change) bool { return ch.Key == m.config.Key() })
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
