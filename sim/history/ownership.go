package history

import (
	"cmp"
	"slices"
	"strings"

	"lockstep/internal/lang"
)

// This file tracks who owns the lock's key on each node.

// A nodeKey is the lock's key on one node.
type nodeKey struct {
	node  string
	owner string // who created it or took it over; "" while it is absent
	since int
	token string   // that it has now
	ended int      // the event that last removed it
	queue []place  // of a lock of ephemeral znodes or of members, the first of which owns it
	past  []string // its owners before the node's last writes, the latest first; Config.Lag at most
	was   string   // its owner before the event at hand
	// unknown is why its owner may not know that it has it: Unanswered or Promote; "" if it does.
	unknown string
	fault   string // of the node's clock
	age     Millis // of what its owner wrote last; Config.TTL at most
	over    bool   // its lease was over by its time when the event at hand took it
}

func (m *Monitor) observeKeys(e Event, by *clientState) {
	promoted := m.replicas(e)
	for _, ch := range e.Changes {
		if m.observePlace(e, by, ch) || m.observeMembers(e, by, ch, promoted) {
			continue
		}
		ch, is := OfLock(m.config.Key(), ch)
		if !is {
			continue
		}
		k := m.key(e.Node)
		switch {
		case ch.Before == nil && ch.After != nil:
			k.owner, k.since, k.age = e.Client, e.Seq, 0
		case ch.After == nil:
			m.released(e, by, k)
			m.nothingTaken(e.Node)
			k.owner, k.ended = "", e.Seq
		case by != nil && k.owner != by.name:
			m.changed(e, by, k, ch)
		default:
			k.age = 0
		}
		if ch.After != nil && promoted != "" {
			k.owner = promoted
		}
	}
	m.noteTokens(e, by)
}

// A place is an ephemeral znode of a lock, at its path or below it, or a member of
// a lock that is a sorted set.
type place struct {
	path  string
	owner string
	since int
}

// observePlace tracks the queue of a lock of znodes. It reports whether a change
// is one of the queue.
func (m *Monitor) observePlace(e Event, by *clientState, ch Change) bool {
	if !InQueue(m.config.Key(), ch) {
		return false
	}
	k := m.key(e.Node)
	at := slices.IndexFunc(k.queue, func(p place) bool { return p.path == ch.Key })
	switch {
	case ch.Before == nil:
		k.queue = append(slices.Clone(k.queue), place{ch.Key, e.Client, e.Seq})
		slices.SortStableFunc(k.queue, func(a, b place) int { return strings.Compare(PlaceOf(a.path), PlaceOf(b.path)) })
	case ch.After == nil && at >= 0:
		if at == 0 {
			m.released(e, by, k)
			k.ended = e.Seq
		}
		k.queue = slices.Delete(slices.Clone(k.queue), at, at+1)
	}
	k.lead()
	return true
}

// lead makes the first in the queue the owner.
func (k *nodeKey) lead() {
	k.owner = ""
	if len(k.queue) > 0 {
		k.owner, k.since = k.queue[0].owner, k.queue[0].since
	}
}

// observeMembers tracks the members of a lock that is a sorted set. It reports
// whether a change is one of such a lock.
func (m *Monitor) observeMembers(e Event, by *clientState, ch Change, promoted string) bool {
	if ch.Key != m.config.Key() || !ch.of("zset") {
		return false
	}
	k := m.key(e.Node)
	was := k.queue
	k.queue = nil
	for i, member := range ch.After.members() {
		is := func(p place) bool { return p.path == member }
		if at := slices.IndexFunc(was, is); at >= 0 {
			k.queue = append(k.queue, was[at])
			continue
		}
		owner := e.Client
		if i == 0 && promoted != "" {
			owner = promoted
		}
		k.queue = append(k.queue, place{member, owner, e.Seq})
	}
	k.over = false
	if len(was) > 0 && !slices.Contains(k.queue, was[0]) {
		k.over = by != nil && by.acquiring && by.name != was[0].owner && by.fault != string(Jump) && by.fault != string(Rate)
		if by != nil && !by.acquiring { // who acquires may remove what is too old
			m.released(e, by, k)
		}
		k.ended = e.Seq
	}
	k.lead()
	return true
}

// of reports whether a key had a type, or has it now.
func (ch *Change) of(kind string) bool {
	return ch.Before != nil && ch.Before.Type == kind || ch.After != nil && ch.After.Type == kind
}

// members returns the members of a sorted set, in its order.
func (k *KeyState) members() (list []string) {
	if k == nil || k.Type != "zset" {
		return nil
	}
	for _, word := range strings.Fields(k.Value[1 : len(k.Value)-1]) {
		list = append(list, word[:strings.LastIndexByte(word, '=')])
	}
	return list
}

// first returns a sorted set as a lock that its first member has; nil if there is
// none.
func (k *KeyState) first() *KeyState {
	if all := k.members(); len(all) > 0 {
		return &KeyState{Type: "zset", Value: all[0]}
	}
	return nil
}

// InQueue reports whether a change is one of a lock of ephemeral znodes.
func InQueue(key string, ch Change) bool {
	ephemeral := func(k *KeyState) bool { return k != nil && k.Type == Ephemeral }
	return (ephemeral(ch.Before) || ephemeral(ch.After)) && (ch.Key == key || strings.HasPrefix(ch.Key, key+"/"))
}

// PlaceOf returns the number of a sequential znode as ZooKeeper writes it: ten
// digits or more at its end.
func PlaceOf(path string) string {
	name := path[strings.LastIndexByte(path, '/')+1:]
	return name[len(strings.TrimRight(name, "0123456789")):]
}

// StoreOf names the kind of server that has a key: a path is a znode's.
func StoreOf(key string) string {
	if strings.HasPrefix(key, "/") {
		return "ZooKeeper"
	}
	return "Redis"
}

// CompareKeys orders keys by parent, then znodes by number, then by name.
func CompareKeys(a, b string) int {
	split := func(path string) (parent, number string) {
		parent = path[:strings.LastIndexByte(path, '/')+1]
		if parent != "" {
			number = PlaceOf(path)
		}
		return parent, number
	}
	above, first := split(a)
	other, second := split(b)
	return cmp.Or(strings.Compare(above, other), strings.Compare(first, second), strings.Compare(a, b))
}

// OfLock returns a change as one of the lock with a key. An element in a
// list is a lock that nobody has: whoever pops the last one takes it, and
// whoever pushes one gives it back. is reports whether it is one of the lock, or
// of its queue of ephemeral znodes. The first member of a sorted set has the lock.
func OfLock(key string, ch Change) (_ Change, is bool) {
	if ch.Key != key {
		return ch, InQueue(key, ch)
	}
	if ch.of(Znode) {
		return ch, false // below it are those who want the lock
	}
	if ch.of("zset") {
		lock := Change{Key: ch.Key, Before: ch.Before.first(), After: ch.After.first()}
		return lock, lock.Before == nil != (lock.After == nil) || lock.Before != nil && *lock.Before != *lock.After
	}
	list := func(k *KeyState) bool { return k != nil && k.Type == "list" }
	if !list(ch.Before) && !list(ch.After) {
		return ch, true
	}
	lock := Change{Key: ch.Key}
	if ch.Before == nil {
		lock.Before = &KeyState{Type: "list"}
	}
	if ch.After == nil {
		lock.After = &KeyState{Type: "list"}
	}
	return lock, lock.Before != nil || lock.After != nil
}

// replicas tracks who owned the key when a node's replica was last updated. If
// the replica takes over, it returns the owner.
func (m *Monitor) replicas(e Event) (promoted string) {
	if m.config.Lag == 0 || e.Node == "" {
		return ""
	}
	k := m.key(e.Node)
	switch {
	case (e.Kind == Apply || e.Kind == Fault && e.Op == string(Evict)) && len(e.Changes) > 0: // written
		k.past = slices.Insert(slices.Clone(k.past), 0, k.owner)
		k.past = k.past[:min(len(k.past), m.config.Lag)]
	case e.Kind == Fault && e.Op == string(Promote) && int(e.By) <= len(k.past):
		promoted, k.past = k.past[e.By-1], nil
	case e.Kind == Fault && e.Op == string(Wipe):
		k.past = nil
	}
	return promoted
}

// released flags the removal of another client's lock.
func (m *Monitor) released(e Event, by *clientState, k *nodeKey) {
	if by != nil && k.owner != by.name {
		m.foreign(e, ForeignRelease, by, k, lang.Message{})
	}
}

// nothingTaken notes that the key is gone from a node: a client that changed its
// value does not own the next one.
func (m *Monitor) nothingTaken(node string) {
	for i := range m.clients {
		for j := range m.clients[i].overwrote {
			if o := &m.clients[i].overwrote[j]; o.node == node {
				o.took = false
			}
		}
	}
}

// changed judges a command that changed another client's key without removing
// it.
func (m *Monitor) changed(e Event, by *clientState, k *nodeKey, ch Change) {
	took := ch.Before.Value != ch.After.Value
	if !took && e.Strand != 0 && m.config.Process == Shared {
		return // one watchdog may renew for all goroutines of its process
	}
	// A command that applies after its acquisition has ended belongs to none.
	if by.acquiring {
		by.overwrote = append(by.overwrote, overwrite{e.Seq, e.Node, took, k.age >= m.config.TTL || k.fault != ""})
	} else if took {
		m.foreign(e, ForeignRelease, by, k, lang.New("its value was replaced"))
		k.owner, k.since, k.age = by.name, e.Seq, 0
	}
	if !took && ch.Before.Deadline != ch.After.Deadline {
		m.foreign(e, ForeignRenewal, by, k, deadlines(ch))
	}
}

func deadlines(ch Change) lang.Message {
	text := func(d Millis) lang.Message {
		if d == 0 {
			return lang.New("no TTL")
		}
		return lang.Quote(d.String())
	}
	return lang.New("deadline %s -> %s", text(ch.Before.Deadline), text(ch.After.Deadline))
}

// findPhantoms finds clients whose belief has just become wrong.
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
			m.violate(e, PhantomHold, c.name, m.holder(), lang.Message{}, c.acquired).Lost = m.lossesOf(c)
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

// claims reports whether the client has learnt, or is about to learn, that it
// holds the lock. On several nodes a minority of keys is not a lock.
func (m *Monitor) claims(client string) bool {
	c := m.client(client)
	return c != nil && (c.depth > 0 || c.acquiring && m.Owns(client))
}
