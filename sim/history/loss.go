package history

import (
	"cmp"
	"slices"

	"lockstep/internal/lang"
)

// A Loss is how a client came to stand on the wrong side of a lease: it believes in one that
// it does not have, or one of its own that it does not know of keeps it out.
type Loss struct {
	// By is what took the lease: Expire, the verb of a fault of the node, ByItself or
	// ByAnother, or "" if the client never had it. Of a lease that it does not know of it is
	// what made it unknown: Unanswered, Nested, Promote, or "" if it was told.
	By string `json:"by,omitempty"`
	// Under is the verb of the fault that had come over the client or the node before, or
	// Nested; "" for none.
	Under string `json:"under,omitempty"`
}

// What a Loss is by or under, besides the kinds of events and the verbs of faults.
const (
	ByItself   = "itself"     // a command of the client's own
	ByAnother  = "another"    // a command of another client
	Unanswered = "unanswered" // a request that was late, or whose sender got no reply
	Nested     = "nested"     // the client acquires again while it holds the lock
)

// KeepLosses lets Canonical tell apart monitors that differ in how leases were lost, so that
// those with equal bytes find violations with equal losses too. Without a contract nobody asks,
// and a search has up to a third more states. Call it before the first event.
func (m *Monitor) KeepLosses() { m.losses = true }

// noteFault notes what comes over a client or a node, and that a client may not know what
// became of its key.
func (m *Monitor) noteFault(e Event, by *clientState) {
	switch {
	case e.Kind == TimeOut, e.Kind == Broken:
		if k := m.key(e.Node); k.owner == e.Client {
			k.unknown = Unanswered
		}
	case e.Kind == Clock:
		for i := range m.keys {
			m.keys[i].age = min(m.keys[i].age+e.By, m.config.TTL)
		}
	case (e.Is(Jump) || e.Is(Rate)) && by == nil:
		m.key(e.Node).fault = e.Op
	case e.Is(Hang):
		by.fault = e.Op
	case e.Is(Cancel):
		by.cancelled = true
	case e.Is(Jump), e.Is(Rate), e.Is(Pause), e.Is(Cut):
		for i := range m.clients {
			if c := &m.clients[i]; c == by || m.config.Process == Shared { // then all are of one process
				c.fault = e.Op
			}
		}
	}
}

// noteOwners notes whose keys an event took, and whose it wrote.
func (m *Monitor) noteOwners(e Event) {
	for i := range m.keys {
		k := &m.keys[i]
		if k.owner == k.was {
			continue
		}
		if c := m.client(k.was); c != nil && (c.owned || c.lost == (Loss{})) {
			switch l := m.lossAt(e, c, k); {
			case l.By == ByItself && c.lost.Under == Nested: // the inner one had the lease anew
			case c.leaves && k.unknown != "": // its last command may not have come
				c.lost = Loss{By: k.unknown, Under: l.Under}
			default:
				c.lost = l
			}
		}
		if c := m.client(k.owner); c != nil && c.name == e.Client && (e.Strand > 0 && c.grant > 0 || c.cancelled) && !c.owned && c.depth == 0 && !c.acquiring {
			c.leaves = true // its background has written the key anew, or after Lock gave up
		}
		k.was, k.unknown, k.over = k.owner, "", false
		switch {
		case k.owner == "":
		case e.Is(Promote):
			k.unknown = string(Promote)
		case e.Outcome == Unread:
			k.unknown = Unanswered
		}
	}
	for i := range m.clients {
		c := &m.clients[i]
		c.owned = m.Owns(c.name)
		switch {
		case c.owned && (c.depth == 0 || c.lost.Under != Nested):
			c.lost = Loss{}
		case c.leaves && e.Kind == Expire && !c.owned:
			m.violate(e, Leak, c.name, "", lang.Message{}).Lost = []Loss{c.lost}
		}
		c.leaves = c.leaves && c.owned
	}
}

// lossAt is the loss of a client's key by an event.
func (m *Monitor) lossAt(e Event, c *clientState, k *nodeKey) Loss {
	l := Loss{By: string(e.Kind), Under: c.fault}
	switch {
	case e.Kind == Fault:
		l.By = e.Op
	case e.Client == c.name:
		l.By = ByItself
	case e.Client != "":
		l.By = ByAnother
	}
	if k.over {
		l.By = string(Expire)
	}
	if c.acquiring && c.depth > 0 {
		l.Under = Nested
	}
	l.Under = cmp.Or(l.Under, k.fault)
	return l
}

// lossesOf are those of clients that do not own the lock, or only anew.
func (m *Monitor) lossesOf(clients ...*clientState) (list []Loss) {
	for _, c := range clients {
		if c != nil && (c.lost != Loss{} || !m.Owns(c.name)) {
			list = append(list, c.lost)
		}
	}
	return list
}

// unknownTo is why a client does not know that it owns the lock.
func (m *Monitor) unknownTo(c *clientState) []Loss {
	if c.depth > 0 {
		return []Loss{{By: Nested}}
	}
	for _, k := range m.keys {
		if k.owner == c.name && k.unknown != "" {
			return []Loss{{By: k.unknown}}
		}
	}
	return []Loss{{}}
}

// LossIn is what keeps everybody out after a schedule: an acquisition within another, or the
// last fault; By is "" if there is neither.
func LossIn(c Config, s Schedule) []Loss {
	if c.Nest > 1 {
		return []Loss{{By: Nested}}
	}
	for _, a := range slices.Backward(s) {
		if a.Verb != Step && !a.Verb.IsTime() {
			return []Loss{{By: string(a.Verb)}}
		}
	}
	return []Loss{{}}
}
