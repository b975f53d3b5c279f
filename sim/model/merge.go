package model

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strconv"
	"time"

	"lockstep/internal/lang"
	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/program"
)

// This file takes ways of different pasts to lead to the same node. Without it,
// an automaton is a tree, with a node for all that the code may remember:
//
//   - the order in which its strands made their observations,
//   - when it made them, if it keeps time,
//   - what an operation observed that has returned since.
//
// Code forgets most of it. A node's memory is what code is assumed to remember:
// of each strand what it did and observed since the last operation returned, in
// its own order; the results of the operations; the present time. Two ways lead
// to the same node if they leave the same memory, and all strands are about to
// do the same.
//
// A memory only grows, so no node is merged with one before it. It depends on
// the path alone, so the automaton does not depend on the order of learning.
//
// Code may remember more. So verifyMerges (merge_verify.go) lets real code go
// every merged way and continue. If it acts differently, Memory says more, and
// all is learned again.

// A Memory says what code is assumed to remember besides.
type Memory struct {
	// Of is the labels of wants whose observations it remembers for good: a
	// command, or now for its clock.
	Of map[string]bool
	// Moments: a client that keeps time remembers when it made observations.
	Moments bool
	// Steps: it remembers all steps of each strand, in the strand's own order.
	Steps bool
	// Everything: it remembers the order too. No ways are merged.
	Everything bool
}

// merging is what a learner knows about equal nodes.
type merging struct {
	memory *Memory
	parts  map[string]int32   // the numbers of parts of memories
	nodes  map[string][]int32 // by memory
	merged []int32            // the ways that are not the first to their nodes
	runs   int                // that verified them
	// covered is, by merged way, which ways have followed it in such runs.
	covered map[int32]bitset
}

// A memory is what code is assumed to remember at a node. Its numbers are those
// of merging.parts.
type memory struct {
	strands []int32
	results int32        // of operations, and observations in Memory.Of
	conns   []connection // that are not like new ones, in order
	at      time.Time    // zero if it keeps no time
}

// A connection is one that has failed, or that has a WATCH.
type connection struct {
	sim.Link
	failed bool
}

// connsAfter returns the connections after an observation.
func connsAfter(conns []connection, w *sim.Want, saw *sim.Observation) []connection {
	if w.Saw != sim.SawReply {
		return conns
	}
	link := sim.Link{Node: w.Node, Conn: w.Conn}
	i, known := slices.BinarySearchFunc(conns, link, func(c connection, l sim.Link) int {
		return cmp.Or(c.Node-l.Node, c.Conn-l.Conn)
	})
	failed := saw.Kind != sim.SawReply
	keep := failed || program.Holds(w.Units, known)
	switch {
	case known && conns[i].failed == failed && keep || !known && !keep:
		return conns
	case known:
		conns = slices.Delete(slices.Clone(conns), i, i+1)
	}
	if keep {
		conns = slices.Insert(slices.Clone(conns), i, connection{link, failed})
	}
	return conns
}

// ErrForgot means that the code of the lock remembers more than it was assumed
// to. After Relearn, it is assumed to remember more.
var ErrForgot = lang.Errorf("the code of the lock remembers more than it seemed to")

// part returns the number of a part of a memory.
func (l *learner) part(key []byte) int32 {
	id, known := l.merging.parts[string(key)]
	if !known {
		id = int32(len(l.merging.parts) + 1)
		l.merging.parts[string(key)] = id
	}
	return id
}

// memoryAfter returns what code is assumed to remember after a way; nil if the
// node there is not merged with others.
func (l *learner) memoryAfter(w *way) *memory {
	from, keeps := l.nodes[w.from].memory, l.merging.memory
	if from == nil || keeps.Everything {
		return nil
	}
	m := *from
	m.strands = slices.Clone(m.strands)
	for w.strand >= len(m.strands) { // it was started since
		m.strands = append(m.strands, 0)
	}
	want, saw := l.nodes[w.from].wants[w.strand], w.saw
	if l.subject.KeepsTime() {
		m.at = saw.Shown
		if !keeps.Moments {
			want.Wakes, saw.Shown = time.Time{}, time.Time{}
		}
	}
	m.conns = connsAfter(m.conns, &want, &saw)
	key := binary.AppendVarint(append(l.key[:0], 's'), int64(m.strands[w.strand]))
	m.strands[w.strand] = l.part(saw.Append(appendWant(key, &want)))
	if keeps.Of[want.Label] {
		m.results = l.part(saw.Append(append(binary.AppendVarint(append(l.key[:0], 'o'), int64(m.results)), want.Label...)))
	}
	for i := range w.events {
		if e := &w.events[i]; !keeps.Steps && ends(e) {
			m.results = l.part(appendEvent(binary.AppendVarint(append(l.key[:0], 'r'), int64(m.results)), e))
			clear(m.strands)
		}
	}
	return &m
}

// ends reports whether an event is the end of an operation.
func ends(e *history.Event) bool {
	return e.Kind == history.Return || e.Kind == history.Fail || e.Kind == history.Unknown
}

// key returns a memory as a key.
func (m *memory) key(b []byte) []byte {
	b = binary.AppendVarint(b, int64(m.results))
	if !m.at.IsZero() {
		b = binary.AppendVarint(b, m.at.UnixNano())
	}
	for _, c := range m.conns {
		b = strconv.AppendBool(binary.AppendVarint(binary.AppendVarint(b, int64(c.Node)), int64(c.Conn)), c.failed)
	}
	b = append(b, ';')
	for _, s := range m.strands {
		b = binary.AppendVarint(b, int64(s))
	}
	return b
}

// sameNode returns the known node to which a new way leads, and otherwise
// completes the new node for it.
func (l *learner) sameNode(w *way, n *clientNode) (to int32, known bool) {
	if n.memory = l.memoryAfter(w); n.memory == nil {
		return 0, false
	}
	l.key = n.memory.key(l.key[:0])
	for _, to := range l.merging.nodes[string(l.key)] {
		if slices.EqualFunc(n.wants, l.nodes[to].wants, sameWant) {
			return to, true
		}
	}
	key := string(l.key)
	l.merging.nodes[key] = append(l.merging.nodes[key], int32(len(l.nodes)))
	return 0, false
}

// alone keeps a node, and all that follow it, from being merged with others.
func (l *learner) alone(node int32) {
	if n := &l.nodes[node]; n.memory != nil {
		key := string(n.memory.key(nil))
		l.merging.nodes[key] = slices.DeleteFunc(l.merging.nodes[key], func(other int32) bool { return other == node })
		n.memory = nil
	}
}

// appendWant appends what sameWant compares.
func appendWant(b []byte, w *sim.Want) []byte {
	for _, s := range []string{w.Name, w.Label, w.Text, w.Access.Op} {
		b = append(append(b, s...), 0)
	}
	for _, yes := range []bool{w.Ended, w.Fresh, w.Sleeps, w.Stays, w.Access.Conditional} {
		b = strconv.AppendBool(b, yes)
	}
	for _, n := range []int64{
		int64(w.Saw), int64(w.Node), int64(w.Conn), int64(w.For), w.Wakes.UnixNano(), int64(w.Blocks),
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

// appendEvent appends what sameEvent compares.
func appendEvent(b []byte, e *history.Event) []byte {
	for _, s := range []string{string(e.Kind), e.Op, string(e.Outcome), e.Token, e.Text} {
		b = append(append(b, s...), 0)
	}
	return binary.AppendVarint(binary.AppendVarint(b, e.Fence), int64(e.By))
}
