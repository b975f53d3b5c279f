package program

import (
	"slices"

	"lockstep/sim"
)

// A pool numbers a Coroutine's connections. Which idle connection go-redis takes
// depends on the order in which they were given back. That makes no difference
// unless the server knows something about one of them. So a connection has the
// number of the strand that uses it, and keeps a number only while it has a
// WATCH, or if messages come over it. Otherwise the pool would tell one strand
// about the order of the others.
type pool struct {
	holding []*conn // those that keep their numbers
	spent   []int   // numbers of connections that failed: their requests may still arrive
}

// A conn is a Conn with its number among the client's connections.
type conn struct {
	*Conn
	program *Coroutine
	id      int
	holds   bool // a WATCH
}

// sends numbers a connection over which a strand sends units or, without units,
// waits for a message.
func (p *pool) sends(c *conn, strand int, units []sim.Unit) {
	kept := slices.Index(p.holding, c)
	if kept < 0 {
		c.id = c.Node*maxStrands + strand
		for p.taken(c.id) {
			c.id += maxConns
		}
	}
	c.holds = Holds(units, c.holds)
	switch keeps := c.holds || units == nil || c.Listens(); {
	case keeps && kept < 0:
		p.holding = append(p.holding, c)
	case !keeps && kept >= 0:
		p.holding = slices.Delete(p.holding, kept, kept+1)
	}
}

// Holds reports whether a connection has a WATCH after units, by whether it had
// one before.
func Holds(units []sim.Unit, held bool) bool {
	for _, u := range units {
		switch u.Cmds[0][0] {
		case "WATCH":
			held = true
		case "MULTI", "UNWATCH":
			held = false
		}
	}
	return held
}

func (p *pool) taken(id int) bool {
	return slices.Contains(p.spent, id) || slices.ContainsFunc(p.holding, func(c *conn) bool { return c.id == id })
}

// maxConns is more than all numbers of connections that have not failed.
const maxConns = 1 << 16

// Close is net.Conn's.
func (c *conn) Close() error {
	if t := c.program.running; t != nil && c.Listens() && !c.Closed() {
		t.closed = append(t.closed, sim.Link{Node: c.Node, Conn: c.id})
	}
	p := &c.program.pool
	if kept := slices.Index(p.holding, c); kept >= 0 || c.Failed() {
		p.spent = append(p.spent, c.id)
		if kept >= 0 {
			p.holding = slices.Delete(p.holding, kept, kept+1)
		}
	}
	return c.Conn.Close()
}
