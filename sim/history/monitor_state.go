package history

import (
	"encoding/binary"
	"slices"
)

// This file treats the monitor as a value: it clones and compares it.

// Clone returns an independent copy, without violations.
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

// Canonical writes the monitor's state as bytes. Two monitors of the same
// configuration with equal bytes find the same violations in the same future. It
// leaves out what no longer matters, and writes only the order of grants.
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
	text := func(s string) { b = append(append(b, s...), 0) }
	if m.losses && slices.ContainsFunc(m.clients, func(c clientState) bool { return c.active() && c.name != r.writer }) {
		for _, l := range r.lost {
			text(l.By)
			text(l.Under)
		}
	}
	for i := range m.clients {
		c := &m.clients[i]
		flags(c.alive, c.acquiring, c.inside, c.phantom && c.depth > 0, c.shutOut && c.alive, c.leaves && c.alive, c.cancelled, c.mistakes)
		number(int64(c.depth))
		text(c.drew.token)
		if m.losses && c.alive {
			text(c.fault)
			if c.acquiring || c.active() {
				text(c.lost.By)
				text(c.lost.Under)
			}
		}
		if c.alive || m.quorum == 0 {
			number(c.read)
		}
		if c.active() {
			number(m.rank(c.grant))
		}
		if c.acquiring {
			number(int64(len(c.overwrote)))
			for _, o := range c.overwrote {
				flags(o.took, o.late && m.losses)
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
			if (k.owner != "" || len(k.past) > 0 || m.losses && k.fault != "") && k.node > node && (next == nil || k.node < next.node) {
				next = k
			}
		}
		if next == nil {
			return b
		}
		b = append(append(append(append(b, next.node...), 0), next.token...), 0)
		if m.losses {
			b = append(append(append(b, next.fault...), 0), next.unknown...)
			b = binary.AppendVarint(append(b, 0), int64(next.age))
		}
		for _, owner := range append([]string{next.owner}, next.past...) {
			b = append(append(b, owner...), 0)
		}
		for _, p := range next.queue { // by path, as later changes name them
			b = append(append(append(append(b, p.path...), 0), p.owner...), 2)
		}
		if m.config.Lag > 0 {
			b = append(b, 1) // ends the list; no name begins so
		}
		node = next.node
	}
}

// active reports whether the client's latest grant can still matter: it writes
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

// Ignores reports whether events of a kind can neither change the monitor's
// state nor violate an invariant.
func (m *Monitor) Ignores(e Event) bool {
	switch e.Kind {
	case Invoke, Return, Fail, Unknown, Panic, Blocked, Resource:
		return false
	case Sleep:
		return e.Strand != 0
	case Clock:
		return !m.losses
	case Fault:
		switch Verb(e.Op) {
		case Crash, Promote, Wipe, Cancel:
			return false
		case Hang, Pause, Jump, Rate, Cut:
			if m.losses {
				return false
			}
		}
	case TimeOut, Broken:
		return !m.losses
	case Apply:
		if e.Token != "" || m.config.Lag > 0 && len(e.Changes) > 0 {
			return false
		}
	}
	return !slices.ContainsFunc(e.Changes, func(ch Change) bool { return ch.Key == m.config.Key() || InQueue(m.config.Key(), ch) })
}
