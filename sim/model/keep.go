package model

import (
	"context"
	"reflect"
	"slices"

	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/program"
)

// This file keeps what was learned of the code of a lock for a later model. The
// later one still learns each way when its search needs it, in its own order and
// with its own numbers, and merges by itself. But where an earlier run of the code
// went that way, that run is believed instead of running the code again. So all
// that a search counts, but the runs, is as without it.
//
// What is believed is compared wherever code has to run all the same: when it goes
// on from there, and along a few paths before the verdict (sample). If it differs,
// all of it is worth nothing: see Unlearn.

// Kept is what a model has learned of the code, fit for a file: a KeptCode for each
// learner.
type Kept []KeptCode

// A KeptCode is an automaton. Its nodes have numbers, from the root, 0, in the order
// of the first ways to them.
type KeptCode struct {
	Root  []sim.Want // what the code is about to do at the root
	Ways  []KeptWay
	Walks []KeptWalk
}

// A KeptWay is a way. If it leads to the lowest number that no way before it leads
// to, it is the first to a new node.
type KeptWay struct {
	program.Observed
	From, To int32
	Events   []history.Event

	// Of the first way to a node:
	Ran     uint16     // see ran
	Strands int        // how many there are at the node
	Changed []int      // those that are about to do something else than at From
	Wants   []sim.Want // what these are about to do
}

// A KeptWalk is ways that code went one after the other under all names, and did on
// each what was known.
type KeptWalk struct {
	Over int32 // the joining way that it verifies
	Ways []int32
}

// The bounds of a KeptCode.
const (
	maxKeptWays    = 1 << 18
	maxKeptStrands = 1 << 8
)

// A record is a KeptCode by which one can learn.
type record struct {
	nodes   []recordNode
	ways    []way
	kids    map[string]int32 // as a learner's
	walks   []KeptWalk
	runs    map[int32]int    // of code, by the joining way that they verify
	covered map[int32]bitset // as merging's
}

// A recordNode is a node of a record.
type recordNode struct {
	first int32 // way to it
	in    int   // the number of ways to it
	depth int   // the number of observations before it
	wants []sim.Want
	ran   ran
}

// A keeping is what connects a learner with a record. None of its fields need be set.
type keeping struct {
	*record
	nodes, ways numbers
	walks       []KeptWalk // that are not in the record; the ways are the learner's
	believed    bool       // some way was learned by the record
}

// numbers are the record's numbers of a learner's nodes or ways.
type numbers []int32

const unrecorded = -1

func (n numbers) of(id int32) int32 {
	if int(id) < len(n) {
		return n[id]
	}
	return unrecorded
}

func (n *numbers) set(id, to int32) {
	for int(id) >= len(*n) {
		*n = append(*n, unrecorded)
	}
	(*n)[id] = to
}

// recorded returns the record's way for a new one; false if it has none.
func (l *learner) recorded(w *way) (int32, bool) {
	from := l.kept.nodes.of(w.from)
	if from == unrecorded {
		return 0, false
	}
	id, ok := l.kept.kids[string(l.keyOf(from, w.strand, w.saw))]
	return id, ok
}

// believe learns a new way by that of the record.
func (l *learner) believe(w way, known int32) (int32, error) {
	k := &l.kept
	once := &k.record.ways[known]
	node := &k.record.nodes[once.to]
	w.events = once.events
	n := clientNode{wants: node.wants, hearsay: true}
	if node.first == known && l.asRecorded(w.from) { // else its runs came by another path
		n.ran = node.ran
	}
	id, merged := l.add(w, n)
	k.believed = true
	k.ways.set(id, known)
	to := l.ways[id].to
	if k.nodes.of(to) == unrecorded {
		k.nodes.set(to, once.to)
	}
	l.merging.runs += k.runs[known]
	if merged || l.straight || l.roundTo(to) == nil {
		return id, nil
	}
	t := l.tripTo(to, nil)
	if err := l.lead(t); err != nil {
		return 0, err
	}
	return id, l.spinOrWait(id, t.run)
}

// asRecorded reports whether the path to a node is that of the record.
func (l *learner) asRecorded(node int32) bool {
	for n := node; n > 0; n = l.before(n) {
		if first := l.kept.ways.of(l.nodes[n].first); first == unrecorded || l.kept.record.nodes[l.kept.nodes.of(n)].first != first {
			return false
		}
	}
	return true
}

// walked notes a walk that runs under every name have gone.
func (l *learner) walked(over int32, walk []int32) {
	l.kept.walks = append(l.kept.walks, KeptWalk{over, walk})
}

// followed reports whether a way has followed a joining one in a walk of the record.
func (k *keeping) followed(joining, next int32) bool {
	if k.record == nil {
		return false
	}
	a, b := k.ways.of(joining), k.ways.of(next)
	return a != unrecorded && b != unrecorded && k.record.covered[a].has(b)
}

// maxSampled is along how many paths sample compares.
const maxSampled = 16

// sample lets code run along some of the paths that are known by the record alone, from
// the longest to the shortest, and compares.
func (l *learner) sample(ctx context.Context) error {
	if !l.kept.believed {
		return nil
	}
	for n := len(l.nodes) - 1; n > 0 && ctx.Err() == nil; n -= 1 + len(l.nodes)/maxSampled {
		if !l.nodes[n].hearsay {
			continue
		}
		t := l.tripTo(int32(n), nil)
		if err := l.lead(t); err != nil {
			return err
		}
		t.Close()
	}
	return nil
}

// Recall makes the model learn by what an earlier one has kept. It must not have
// learned anything yet. It reports false, and changes nothing, if that does not fit.
func (m *Model) Recall(k Kept) bool {
	if len(k) != len(m.learners) {
		return false
	}
	records := make([]*record, len(k))
	for i := range k {
		var ok bool
		if records[i], ok = k[i].record(m.learners[i]); !ok {
			return false
		}
	}
	for i, l := range m.learners {
		l.kept = keeping{record: records[i], nodes: numbers{0}}
	}
	return true
}

// Believes reports whether the model has learned anything by Recall's.
func (m *Model) Believes() bool {
	return slices.ContainsFunc(m.learners, func(l *learner) bool { return l.kept.believed })
}

// Recalls reports whether the model has something to recall.
func (m *Model) Recalls() bool { return m.learners[0].kept.record != nil }

// Unlearn resets the model, and forgets what it was to recall.
func (m *Model) Unlearn(ctx context.Context) { m.restart(ctx, m.Straightened()) }

// Restarted reports whether Relearn, KeepApart or Straighten was called.
func (m *Model) Restarted() bool {
	return m.relearned || m.apart || m.Straightened()
}

// Keep returns what was learned so far, with what was recalled; false if there is
// nothing new, or if it depends on more than the code: on clients or orders that turned
// out to be different, or on code that spins, is stuck, or has too many ways.
func (m *Model) Keep() (Kept, bool) {
	if m.Restarted() || m.Closed() {
		return nil, false
	}
	changed := false
	for _, l := range m.learners {
		if l.stuck != nil || len(l.ways) > maxKeptWays {
			return nil, false
		}
		changed = l.record() || changed
	}
	if !changed {
		return nil, false
	}
	var k Kept
	for _, l := range m.learners {
		code, ok := l.kept.record.code()
		if !ok {
			return nil, false
		}
		k = append(k, code)
	}
	return k, true
}

func newRecord(root []sim.Want, trusted ran) *record {
	return &record{
		nodes: []recordNode{{first: noWay, wants: root, ran: trusted}},
		kids:  map[string]int32{}, runs: map[int32]int{}, covered: map[int32]bitset{},
	}
}

// add adds a way, and the node if it leads to a new one.
func (r *record) add(key string, w way, n recordNode) int32 {
	id := int32(len(r.ways))
	if int(w.to) == len(r.nodes) {
		n.first, n.depth = id, r.nodes[w.from].depth+1
		r.nodes = append(r.nodes, n)
	}
	r.nodes[w.to].in++
	r.ways = append(r.ways, w)
	r.kids[key] = id
	return id
}

// walked adds a walk by so many names.
func (r *record) walked(k KeptWalk, names int) {
	r.walks = append(r.walks, k)
	r.runs[k.Over] += names
	for i, id := range k.Ways {
		if r.nodes[r.ways[id].to].in > 1 {
			set := r.covered[id]
			for _, next := range k.Ways[i+1:] {
				set.add(next)
			}
			r.covered[id] = set
		}
	}
}

// record adds what was learned to the record. It reports whether that was anything.
func (l *learner) record() (changed bool) {
	k := &l.kept
	if k.record == nil {
		k.record = newRecord(l.nodes[0].wants, l.all())
		k.nodes.set(0, 0)
	}
	for i := range l.ways {
		id, w := int32(i), l.ways[i]
		if k.ways.of(id) != unrecorded {
			continue
		}
		changed = true
		to := w.to
		w.from = k.nodes.of(w.from) // a first way has a lower number than those that follow it
		if w.to = k.nodes.of(to); w.to == unrecorded {
			w.to = int32(len(k.record.nodes))
		}
		key := string(l.keyOf(w.from, w.strand, w.saw))
		known, ok := k.kids[key]
		if !ok {
			known = k.add(key, w, recordNode{wants: l.nodes[to].wants})
		}
		k.ways.set(id, known)
		if k.nodes.of(to) == unrecorded {
			k.nodes.set(to, k.record.ways[known].to)
		}
	}
	for i := range l.nodes[1:] {
		n := &l.nodes[i+1]
		if of := &k.record.nodes[k.nodes.of(int32(i+1))]; of.ran|n.ran != of.ran && l.asRecorded(int32(i+1)) {
			of.ran, changed = of.ran|n.ran, true
		}
	}
	for _, walk := range k.walks {
		changed = true
		kept := KeptWalk{Over: k.ways.of(walk.Over)}
		for _, id := range walk.Ways {
			kept.Ways = append(kept.Ways, k.ways.of(id))
		}
		k.walked(kept, len(l.circle))
	}
	k.walks = nil
	return changed
}

// code returns a record as it is kept; false if it is too large.
func (r *record) code() (KeptCode, bool) {
	k := KeptCode{Root: r.nodes[0].wants, Walks: r.walks}
	if len(r.ways) > maxKeptWays {
		return k, false
	}
	for id := range r.ways {
		w := &r.ways[id]
		kept := KeptWay{Observed: program.Observed{Strand: w.strand, Observation: w.saw}, From: w.from, To: w.to, Events: w.events}
		if n := &r.nodes[w.to]; n.first == int32(id) {
			before := r.nodes[w.from].wants
			kept.Ran, kept.Strands = uint16(n.ran), len(n.wants)
			for i := range n.wants {
				if i >= len(before) || !reflect.DeepEqual(before[i], n.wants[i]) {
					kept.Changed, kept.Wants = append(kept.Changed, i), append(kept.Wants, n.wants[i])
				}
			}
			if len(n.wants) > maxKeptStrands {
				return k, false
			}
		}
		k.Ways = append(k.Ways, kept)
	}
	return k, true
}

// record returns what was kept as a record for a learner; false if no learner like that
// can have learned it. So it has no more and no other strands than its nodes, and its ways
// lead from lower to higher depths.
func (k *KeptCode) record(l *learner) (*record, bool) {
	if len(k.Ways) > maxKeptWays || !slices.EqualFunc(k.Root, l.nodes[0].wants, sim.SameWant) {
		return nil, false
	}
	r := newRecord(l.nodes[0].wants, l.all())
	for i := range k.Ways {
		w := &k.Ways[i]
		if w.From < 0 || int(w.From) >= len(r.nodes) || w.To <= 0 || int(w.To) > len(r.nodes) {
			return nil, false
		}
		from := &r.nodes[w.From]
		if w.Strand < 0 || w.Strand >= len(from.wants) || from.wants[w.Strand].Ended {
			return nil, false
		}
		n := recordNode{ran: ran(w.Ran)}
		if int(w.To) == len(r.nodes) {
			var ok bool
			if n.wants, ok = w.wants(from.wants, l.subject.Nodes); !ok {
				return nil, false
			}
		} else if r.nodes[w.To].depth != from.depth+1 {
			return nil, false
		}
		key := string(l.keyOf(w.From, w.Strand, w.Observation))
		if _, twice := r.kids[key]; twice {
			return nil, false
		}
		r.add(key, way{w.From, w.Strand, w.Observation, w.Events, w.To}, n)
	}
	for _, walk := range k.Walks {
		for _, id := range append([]int32{walk.Over}, walk.Ways...) {
			if id < 0 || int(id) >= len(r.ways) {
				return nil, false
			}
		}
		r.walked(walk, len(l.circle))
	}
	return r, true
}

// wants returns what the strands are about to do at the end of a first way, which begins
// where they are about to do something else.
func (w *KeptWay) wants(before []sim.Want, nodes int) ([]sim.Want, bool) {
	if w.Strands < 0 || w.Strands > maxKeptStrands || len(w.Changed) != len(w.Wants) {
		return nil, false
	}
	wants := make([]sim.Want, w.Strands)
	known := min(copy(wants, before), w.Strands)
	for i, strand := range w.Changed {
		switch {
		case strand < 0 || strand >= w.Strands || !possible(&w.Wants[i], nodes):
			return nil, false
		case strand == known:
			known++
		case strand > known:
			return nil, false
		}
		wants[strand] = w.Wants[i]
	}
	return wants, known == w.Strands
}

// maxKeptConn bounds the numbers of connections.
const maxKeptConn = 1 << 20

// possible reports whether any code can be about to do this.
func possible(w *sim.Want, nodes int) bool {
	fits := func(node, conn int) bool { return node >= 0 && node < max(1, nodes) && conn >= 0 && conn < maxKeptConn }
	empty := func(list [][]string) bool {
		return len(list) == 0 || slices.ContainsFunc(list, func(cmd []string) bool { return len(cmd) == 0 })
	}
	return w.Saw <= sim.SawPush && fits(w.Node, w.Conn) && (w.Saw != sim.SawReply || len(w.Units) > 0) &&
		!slices.ContainsFunc(w.Units, func(u sim.Unit) bool { return empty(u.Cmds) || empty(u.Shown) }) &&
		!slices.ContainsFunc(w.Closed, func(c sim.Link) bool { return !fits(c.Node, c.Conn) })
}
