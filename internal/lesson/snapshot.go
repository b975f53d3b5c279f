package lesson

import (
	"lockstep/internal/prose"
	"lockstep/sim/history"
)

// A Snapshot is the visible state of a world at one moment of a history.
type Snapshot struct {
	Now     history.Millis
	Locks   bool // the strategy keeps a lock in Redis
	Nodes   int
	Keys    []Key // by node, then by name
	Clients []Client
	Owners  []int8         // of the lock's key on each node: a client's index, or -1
	Owner   int8           // the same for the lock as a whole
	Believe int            // how many clients believe that they hold the lock
	Effect  history.Effect // on what the lock guards
}

// A Key is one key of one node.
type Key struct {
	Node, Name string
	State      *history.KeyState // nil if it has just gone
	Was        *history.KeyState // before the latest change
	Since      history.Millis    // when it got its deadline
	Changed    bool              // by the latest row
	Owner      int               // the client that owns it as the lock, from 1; 0 for none
}

// A Client is what one client believes, and whether Redis agrees.
type Client struct {
	Name string
	Hold Hold
	Hung bool
	Asks Asks
	Owns bool // it owns the key on enough nodes
	On   int  // on how many it does
}

// Asks is the state of a client's last attempt to acquire or release.
type Asks byte

// The states of an attempt by a client that does not hold the lock.
const (
	Nothing Asks = iota
	Trying
	Refused
	Unknown // no answer came
)

// Truth says who owns the lock.
func (s Snapshot) Truth(b *prose.Book) string {
	if !s.Locks {
		return b.Text("redis_no_lock")
	}
	for _, c := range s.Clients {
		if !c.Owns {
			continue
		}
		says := b.Text("redis_its_own")
		if s.Nodes > 1 {
			says = b.Count("on_nodes", c.On, s.Nodes)
		} else if c.Hold == Dead {
			says = b.Text("redis_left_behind")
		}
		return b.Pair(c.Name, says)
	}
	return b.Text("redis_nobody")
}

// Believes says what a client believes about the lock.
func (c Client) Believes(b *prose.Book) string {
	id := "none"
	switch {
	case c.Hold == Dead:
		id = "dead"
	case c.Hold == Wrongly:
		return b.Pair(b.Text("belief_held"), b.Text("redis_wrong"))
	case c.Hold == AtWork:
		id = "at_work"
	case c.Hold == Unprotected:
		id = "unprotected"
	case c.Hold == Held:
		id = "held"
	case c.Hung:
		id = "hung"
	case c.Asks == Unknown:
		id = "unknown"
	case c.Asks == Trying:
		id = "trying"
	case c.Asks == Refused:
		id = "refused"
	}
	return b.Text("belief_" + id)
}

// Says is what a key holds and, if it has changed, what it was.
func (k Key) Says(b *prose.Book) string {
	var was, is string
	if k.Was != nil {
		was = history.Terse(k.Was.Value)
	}
	if k.State != nil {
		is = history.Terse(k.State.Value)
	}
	switch {
	case k.State == nil:
		return was + " -> " + b.Text("gone")
	case k.Changed && k.Was == nil:
		return b.Text("new") + " -> " + is
	case k.Changed && was != is:
		return was + " -> " + is
	case k.Changed && k.Was.Deadline != k.State.Deadline:
		return b.List("= "+is, b.Text("new_ttl"))
	}
	return "= " + is
}

// Left says how long a key will remain.
func (k Key) Left(now history.Millis, b *prose.Book) string {
	left := k.State.Deadline - now
	switch {
	case k.State.Type == history.Ephemeral:
		return b.Text("session")
	case k.State.Type == history.Znode:
		return ""
	case k.State.Deadline == 0:
		return b.Text("no_ttl")
	case left < 0:
		return b.Text("ttl_over")
	}
	return "TTL " + left.String()
}
