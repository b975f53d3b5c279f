package sim

import (
	"fmt"
	"slices"

	"lockstep/sim/history"
)

// Health is what faults have made of a node.
type Health struct {
	Down   bool           // it accepts no connection
	Slow   bool           // it answers later than anybody waits
	Life   int            // how often its process has begun again
	Offset history.Millis // of its clock
}

// Fault returns the state after a fault of the node, and what became of its
// keys. It serves the world and the explorer alike, but for a jump of a clock
// in the world: see node.jump.
func (s NodeState) Fault(a history.Action, now history.Millis) (NodeState, []history.Change) {
	before := s
	switch a.Verb {
	case history.Restart:
		s = s.anew()
	case history.Wipe:
		s = s.anew()
		s.Keys, s.Behind = nil, nil
	case history.Down:
		s = s.anew()
		s.Down = true
	case history.Up:
		s.Down = false
	case history.Slow:
		s.Slow = true
	case history.Fast:
		s.Slow = false
	case history.Jump:
		s = s.jump(a.By, now)
	case history.Promote:
		s = s.anew()
		s.Keys, s.Behind, s.Health = s.Behind[a.By-1].Keys, nil, Health{Life: s.Life}
		s, _ = s.Expire(now)
	}
	return s, compareKeys(before.views(), s.views())
}

// anew is the node's process having died and begun again: what was only in
// its memory is gone. A connection that does not WATCH is opened again by
// go-redis before it is used; one that does is found broken.
func (s NodeState) anew() NodeState {
	s.Life++
	s.Scripts = nil
	s.Watches = slices.Clone(s.Watches)
	for i, w := range s.Watches {
		s.Watches[i] = Watch{Conn: w.Conn, Gone: true}
	}
	return s
}

// jump turns the node's clock. A deadline is a moment on that clock; a replica
// has one of its own.
func (s NodeState) jump(by, now history.Millis) NodeState {
	behind := s.Behind
	s.Offset += by
	s, _ = s.Expire(now + by)
	s.Behind = behind
	return s.shiftKeys(-by)
}

// gone lists the connections that are broken.
func (s NodeState) gone() []Watch {
	return slices.DeleteFunc(slices.Clone(s.Watches), func(w Watch) bool { return !w.Gone })
}

// Broken says whether a connection has ended with the node's process.
func (s NodeState) Broken(conn string) bool {
	return slices.ContainsFunc(s.Watches, func(w Watch) bool { return w.Conn == conn && w.Gone })
}

// Refusal says why a fault of the node cannot happen now; "" if it can.
func (s NodeState) Refusal(a history.Action) string {
	return s.faultRefusal(a.Node, a, len(s.Behind))
}

// faultRefusal says why a fault of the node cannot happen now; "" if it can.
func (h Health) faultRefusal(node string, a history.Action, behind int) string {
	switch {
	case a.Verb == history.Down && h.Down:
		return fmt.Sprintf("%s is down already", node)
	case a.Verb == history.Up && !h.Down:
		return fmt.Sprintf("%s is not down", node)
	case a.Verb == history.Slow && h.Slow:
		return fmt.Sprintf("%s is slow already", node)
	case a.Verb == history.Fast && !h.Slow:
		return fmt.Sprintf("%s is not slow", node)
	case h.Down && (a.Verb == history.Restart || a.Verb == history.Wipe):
		return fmt.Sprintf("%s is down", node)
	case a.Verb == history.Jump:
		return why(JumpEnds(node, h.Offset, a.By))
	case a.Verb == history.Promote && int(a.By) > behind:
		return fmt.Sprintf("the replica of %s can have missed %d writes at most", node, behind)
	}
	return ""
}

// fault lets something go wrong with a node of the world.
func (n *node) fault(a history.Action, now history.Millis) ([]history.Change, error) {
	if n.live != nil {
		changes, err := n.faultLive(a, now)
		n.live.fail(err)
		return changes, err
	}
	if a.Verb == history.Jump {
		return n.jump(a.By, now), nil
	}
	s, err := n.store(nil)
	if err != nil {
		return nil, err
	}
	after, changes := s.Fault(a, now)
	again := after.Life != s.Life
	n.Health, n.behind = after.Health, after.Behind
	if !again {
		return nil, nil
	}
	return changes, n.begin(after.Keys, now)
}

// begin lets the node's process begin anew, with the keys that it has then. Its
// connections are the world's business.
func (n *node) begin(keys []StoredKey, now history.Millis) error {
	n.mini.FlushAll()
	n.flushScripts()
	n.setTime(now)
	admin := newPeer()
	for _, k := range keys {
		if err := n.put(admin, k, now); err != nil {
			return err
		}
	}
	n.refresh(now)
	n.writes++
	return nil
}

// jump turns the clock of a node that goes on. Forwards, miniredis ends what
// ends; backwards it would keep what is left of every TTL, where Redis keeps
// the deadline.
func (n *node) jump(by, now history.Millis) []history.Change {
	n.Offset += by
	n.setTime(now)
	if by < 0 {
		n.mini.FastForward(by.Duration())
	}
	return n.refresh(now)
}

// nodeFault carries out a fault of a node. Its process beginning anew ends
// every connection to it and every request on its way.
func (w *World) nodeFault(a history.Action) error {
	n := w.node(a.Node)
	life := n.Life
	changes, err := n.fault(a, w.now)
	if err != nil {
		return err
	}
	w.emit(nil, history.Event{Kind: history.Fault, Op: string(a.Verb), Node: n.name, By: a.By, Changes: changes})
	if n.Life == life {
		return nil
	}
	w.dropFlights(func(f *flight) bool { return f.conn.node == n }, history.Reset)
	for _, c := range w.clients {
		for _, conn := range c.conns {
			if conn.node == n {
				conn.gone = conn.gone || conn.remembered() != ""
				conn.peer = newPeer()
			}
		}
	}
	return nil
}

// cut lets nothing through between a client and a node from now on.
func (w *World) cut(c *client, a history.Action) {
	w.emit(c.threads[0], history.Event{Kind: history.Fault, Op: string(a.Verb), Node: a.Node})
	c.cut = append(c.cut, a.Node)
	slices.Sort(c.cut)
	w.dropFlights(func(f *flight) bool { return f.client == c && f.conn.node.name == a.Node }, "")
}

// dropFlights loses requests and replies on their way. Whoever waits for one
// learns how it failed at once, or nothing at all if failed is "".
func (w *World) dropFlights(which func(*flight) bool, failed string) {
	w.flights = slices.DeleteFunc(w.flights, func(f *flight) bool {
		if !which(f) || f.thread.flight == f && f.lost {
			return false // nothing new
		}
		f.lost, f.failed = true, failed
		return true
	})
}

// endNodeFaults lets every node and every connection work again.
func (w *World) endNodeFaults() {
	for _, n := range w.nodes {
		if n.live != nil && n.Down {
			n.live.fail(n.live.space.Revive(false))
		}
		n.Down, n.Slow = false, false
	}
	for _, c := range w.clients {
		c.cut = nil
	}
}

func (w *World) node(name string) *node {
	for _, n := range w.nodes {
		if n.name == name {
			return n
		}
	}
	return nil
}

// A NodeView is what a driver may know of a node.
type NodeView struct {
	Name string
	Health
	Behind int // how many writes its replica can have missed
}

// Nodes describes the nodes.
func (w *World) Nodes() []NodeView {
	views := make([]NodeView, len(w.nodes))
	for i, n := range w.nodes {
		views[i] = NodeView{n.name, n.Health, len(n.behind)}
	}
	return views
}
