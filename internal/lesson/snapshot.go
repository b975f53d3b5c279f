package lesson

import (
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
func (s Snapshot) Truth(l Labels) string {
	if !s.Locks {
		return l.NoLock
	}
	for _, c := range s.Clients {
		switch {
		case c.Owns && s.Nodes > 1:
			return l.Pair(c.Name, l.OnNodes(c.On, s.Nodes))
		case c.Owns && c.Hold == Dead:
			return l.Pair(c.Name, l.LeftBehind)
		case c.Owns:
			return l.Pair(c.Name, l.Owned)
		}
	}
	return l.Nobody
}

// Believes says what a client believes about the lock.
func (c Client) Believes(l Labels) string {
	switch {
	case c.Hold == Dead:
		return l.Dead
	case c.Hold == Wrongly:
		return l.Pair(l.Held, l.Wrong)
	case c.Hold == AtWork:
		return l.AtWork
	case c.Hold == Unprotected:
		return l.Unprotected
	case c.Hold == Held:
		return l.Held
	case c.Hung:
		return l.Hung
	case c.Asks == Unknown:
		return l.Unknown
	case c.Asks == Trying:
		return l.Trying
	case c.Asks == Refused:
		return l.Refused
	}
	return l.Nothing
}

// Says is what a key holds and, if it has changed, what it was.
func (k Key) Says(l Labels) string {
	switch {
	case k.State == nil:
		return k.Was.Value + " -> " + l.Gone
	case !k.Changed:
		return "= " + k.State.Value
	case k.Was == nil:
		return l.New + " -> " + k.State.Value
	case k.Was.Value != k.State.Value:
		return k.Was.Value + " -> " + k.State.Value
	case k.Was.Deadline != k.State.Deadline:
		return l.List("= "+k.State.Value, l.NewTTL)
	}
	return "= " + k.State.Value
}

// Left says how long a key will remain.
func (k Key) Left(now history.Millis, l Labels) string {
	left := k.State.Deadline - now
	switch {
	case k.State.Type == history.Ephemeral:
		return l.Session
	case k.State.Type == history.Znode:
		return ""
	case k.State.Deadline == 0:
		return l.NoTTL
	case left < 0:
		return l.TTLOver
	}
	return "TTL " + left.String()
}
