package model

import (
	"encoding/binary"
	"slices"
	"strconv"

	"lockstep/internal/lang"
	"lockstep/sim"
	"lockstep/sim/program"
)

// This file takes ways of different pasts to lead to the same node. Without it,
// an automaton is a tree with a node for every order in which the strands of a
// client make their observations, though strands rarely depend on each other's
// order: a watchdog that has renewed before its worker wrote stands where one
// stands that has renewed after.
//
// The view of a strand is what it was about to do and has observed, in its own
// order. Two ways lead to the same node if all views are equal after them, and all
// strands are about to do the same. Views only grow, so no node is merged with one
// before it. They depend on the path alone, so the automaton does not depend on the
// order of learning. What the code reported on the way is not part of them: where
// the last of several replies ends an operation, any strand may have had it.
//
// Code may remember the order all the same, in a variable that its strands
// share. So verifyMerges (merge_verify.go) lets real code go every way to
// such a node and continue. If it acts differently, all is learned again, without merging.

// merging is what a learner knows about equal nodes.
type merging struct {
	off    bool
	views  map[string]int32   // the numbers of views
	nodes  map[string][]int32 // by views
	merged int                // the number of ways that are not the first to their nodes
	runs   int                // that verified them
	// covered is, by joining way, which ways have followed it in such runs.
	covered map[int32]bitset
	clocked bitset // the ways after which the want of the clock strand was compared
}

// ErrRemembers means that the code of the lock remembers the order of its
// strands. After Relearn, all orders are kept apart.
var ErrRemembers = lang.Errorf("the code of the lock remembers the order of its threads")

// viewsAfter returns the views after a way; nil if the node there is not merged
// with others.
func (l *learner) viewsAfter(w *way) []int32 {
	from := l.nodes[w.from].views
	if from == nil || l.merging.off {
		return nil
	}
	views := slices.Clone(from)
	for w.strand >= len(views) { // it was started since
		views = append(views, 0)
	}
	for strand := range views {
		if strand != w.strand && w.saw.Kind != sim.SawCancel { // all see their context end
			continue
		}
		l.key = binary.AppendVarint(l.key[:0], int64(views[strand]))
		l.key = appendWant(l.key, &l.nodes[w.from].wants[w.strand])
		l.key = w.saw.Append(l.key)
		id, known := l.merging.views[string(l.key)]
		if !known {
			id = int32(len(l.merging.views) + 1)
			l.merging.views[string(l.key)] = id
		}
		views[strand] = id
	}
	return views
}

// heldAfter returns the connections that have a WATCH after a way. As long as
// there is one, it matters which connection go-redis takes next, and that
// depends on the order; so nothing is merged.
func (l *learner) heldAfter(w *way) []sim.Link {
	held, want := l.nodes[w.from].held, &l.nodes[w.from].wants[w.strand]
	if want.Saw != sim.SawReply {
		return held
	}
	link := sim.Link{Node: want.Node, Conn: want.Conn}
	at := slices.Index(held, link)
	switch holds := w.saw.Kind == sim.SawReply && program.Holds(want.Units, at >= 0); {
	case holds && at < 0:
		return append(slices.Clone(held), link)
	case !holds && at >= 0: // or it has failed
		return slices.Delete(slices.Clone(held), at, at+1)
	}
	return held
}

// viewKey returns views as a key.
func viewKey(views []int32) string {
	b := make([]byte, 0, 16)
	for _, v := range views {
		b = binary.AppendVarint(b, int64(v))
	}
	return string(b)
}

// sameNode returns the known node to which a new way leads, and otherwise
// completes the new node for it.
func (l *learner) sameNode(w *way, n *clientNode) (to int32, known bool) {
	if n.views = l.viewsAfter(w); n.views == nil {
		return 0, false
	}
	if n.held = l.heldAfter(w); len(n.held) > 0 {
		return 0, false
	}
	key := viewKey(n.views)
	for _, to := range l.merging.nodes[key] {
		if slices.EqualFunc(n.wants, l.nodes[to].wants, sim.SameWant) {
			return to, true
		}
	}
	l.merging.nodes[key] = append(l.merging.nodes[key], int32(len(l.nodes)))
	return 0, false
}

// alone keeps a node, and all that follow it, from being merged with others.
func (l *learner) alone(node int32) {
	if n := &l.nodes[node]; n.views != nil {
		key := viewKey(n.views)
		l.merging.nodes[key] = slices.DeleteFunc(l.merging.nodes[key], func(other int32) bool { return other == node })
		n.views = nil
	}
}

// appendWant appends what sim.SameWant compares, which is faster. TestSame holds both.
func appendWant(b []byte, w *sim.Want) []byte {
	for _, s := range []string{w.Name, w.Label, w.Access.Resource, w.Access.Op, w.Access.Outcome} {
		b = append(append(b, s...), 0)
	}
	for _, yes := range []bool{w.Ended, w.Fresh, w.Sleeps, w.Stays, w.Access.Conditional} {
		b = strconv.AppendBool(b, yes)
	}
	for _, n := range []int64{
		int64(w.Saw), int64(w.Node), int64(w.Conn), int64(w.For), w.Wakes.UnixNano(), int64(w.Blocks), int64(w.Of),
		w.Access.Fence, w.Access.Value, w.Access.Version, w.Access.Based,
	} {
		b = binary.AppendVarint(b, n)
	}
	b = appendUnits(b, w.Units)
	for _, c := range w.Closed {
		b = binary.AppendVarint(binary.AppendVarint(b, int64(c.Node)), int64(c.Conn))
	}
	return append(b, 0)
}
