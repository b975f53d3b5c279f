package model

import (
	"context"
	"encoding/binary"
	"slices"

	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/program"
)

// A learner stores one client as an automaton. A node stands for a sequence of
// observations, and for those that are equivalent (merge.go), and stores what
// each strand is about to do. Real code runs only to learn a way to a node: it
// gets the same observations from the start, or continues from a node where it
// waits. Code that spins is another exception (spin.go).
type learner struct {
	ctx     context.Context // see world.World.Within
	config  history.Config
	subject program.Subject
	name    string // of the client
	nodes   []clientNode
	ways    []way
	kids    map[string]int32   // ways, by node, strand and observation
	rounds  map[int32][]int32  // for each node of a spinning round: the nodes after it, up to itself
	draws   map[int32][]uint32 // by way: what the code drew otherwise there
	draw    map[string]bool    // how ways that draw begin; see drawing
	took    int32              // the way of the last observation
	merging merging
	// ignoresSpins disables the detection of code that spins.
	ignoresSpins bool
	key          []byte
	runs         int // of real code
	// Runs of real code that wait at a node, the latest last.
	waiting []waiting
	// stuck is the error of code that did not reach the seam. It ends the
	// learning: each further try would leak a goroutine and delay the caller.
	stuck error
}

// maxWaiting returns the bound on the waiting runs of a client. One of the ZooKeeper
// library takes 100 KB, and to start another takes as long as 20 steps.
func (l *learner) maxWaiting() int {
	switch {
	case l.subject.Timeless:
		return 2048
	case l.subject.Server == sim.ZooKeeper:
		return 64
	}
	return 256
}

// A waiting is a run of a client's code that waits at a node.
type waiting struct {
	node  int32
	since int // the number of ways when it came
	program.Code
}

// A clientNode is where a client's code stands. The first way to it, and the
// first ways to the nodes before it, are its path.
type clientNode struct {
	first       int32 // way to it; noWay at the root
	wants       []sim.Want
	in, out     []int32    // known ways to it and from it
	views       []int32    // see merging; nil if it is not merged with others
	held        []sim.Link // connections with a WATCH
	ran         int        // runs that have been here by its path, and did the same
	leavesAfter int        // the number of observations after which code leaves what seems a round
}

// noWay is the way to the root.
const noWay = -1

// A way leads from a node to another.
type way struct {
	from   int32
	strand int
	saw    sim.Observation
	events []history.Event // the events of the code on the way
	to     int32           // 0 if it is new: no way leads to the root
	quiet  bool            // see polls
}

// before returns the node before another on its path.
func (l *learner) before(node int32) int32 { return l.ways[l.nodes[node].first].from }

// wayTo returns the first way to a node.
func (l *learner) wayTo(node int32) *way { return &l.ways[l.nodes[node].first] }

// over reports whether nothing can follow at the end of a way: all code has
// returned or panicked.
func over(wants []sim.Want, events []history.Event) bool {
	return !slices.ContainsFunc(wants, func(w sim.Want) bool { return !w.Ended }) ||
		slices.ContainsFunc(events, func(e history.Event) bool { return e.Kind == history.Panic })
}

// didOn returns what code did on a known way.
func (l *learner) didOn(w *way) *program.Did {
	return &program.Did{Events: w.events, Wants: l.nodes[w.to].wants}
}

// Wants is sim.Program's.
func (l *learner) Wants(at sim.Ref) []sim.Want { return l.nodes[at].wants }

// Observe is sim.Program's.
func (l *learner) Observe(at sim.Ref, strand int, o sim.Observation) (sim.Ref, []history.Event, error) {
	n, err := l.after(int32(at), strand, o)
	if err != nil {
		return 0, nil, err
	}
	l.took = n
	return sim.Ref(l.ways[n].to), l.ways[n].events, nil
}

// Die is sim.Program's. The model never asks a dead client again.
func (l *learner) Die() {}

func newLearner(ctx context.Context, config history.Config, subject program.Subject, name string, exact bool) *learner {
	l := &learner{
		ctx: ctx, config: config, subject: subject, name: name, kids: map[string]int32{}, rounds: map[int32][]int32{},
		draws: map[int32][]uint32{}, draw: map[string]bool{},
		merging: merging{off: exact, views: map[string]int32{}, nodes: map[string][]int32{}, covered: map[int32]bitset{}},
	}
	s := l.start()
	l.nodes = []clientNode{{first: noWay, wants: s.Wants(0), views: make([]int32, len(s.Wants(0))), ran: enough}}
	l.wait(0, s)
	return l
}

// start starts a run.
func (l *learner) start() program.Code {
	l.runs++
	return l.begin()
}

// begin is start, uncounted.
func (l *learner) begin() program.Code {
	s := program.New(l.config, l.subject, l.name)
	s.Within(l.ctx)
	return s
}

// enough is how many runs have to do the same at a node before it is trusted.
const enough = 2

// trusted reports whether enough runs have been at a node, or where code may draw, so many
// that they have hardly all drawn the same.
func (l *learner) trusted(node int32) bool {
	if l.mayDraw(node) {
		return l.nodes[node].ran >= enoughDraws
	}
	return l.nodes[node].ran >= enough
}

// close ends all waiting runs.
func (l *learner) close() {
	for _, w := range l.waiting {
		w.Close()
	}
	l.waiting = nil
}

// after returns the way that an observation leads.
func (l *learner) after(node int32, strand int, o sim.Observation) (int32, error) {
	kid, ok := l.usual(node, strand, o)
	if o.Drew != 0 && !(ok && o.Drew == l.ways[kid].saw.Drew) {
		kid, ok = l.kids[string(l.keyOf(node, strand, o))]
	}
	if ok {
		return kid, nil
	}
	kid, err := l.learn(way{from: node, strand: strand, saw: o})
	if err == nil {
		l.kids[string(l.keyOf(node, strand, o))] = kid
	}
	return kid, err
}

// usual returns the known way of an observation by which no run was asked what it draws.
func (l *learner) usual(node int32, strand int, o sim.Observation) (kid int32, ok bool) {
	o.Drew = 0
	kid, ok = l.kids[string(l.keyOf(node, strand, o))]
	return kid, ok
}

// keyOf returns the key of a child in kids, valid until the next call.
func (l *learner) keyOf(node int32, strand int, o sim.Observation) []byte {
	l.key = binary.AppendVarint(binary.AppendVarint(l.key[:0], int64(node)), int64(strand))
	l.key = o.Append(binary.AppendUvarint(l.key, uint64(o.Drew)))
	return l.key
}

// learn runs the client's code along a new way.
func (l *learner) learn(w way) (int32, error) {
	if l.stuck != nil {
		return 0, l.stuck
	}
	w.quiet = l.polls(&w)
	t, asked := l.tripOver(&w), w.saw.Drew != 0
	if err := l.lead(t); err != nil {
		return 0, err
	}
	w.events, w.saw.Drew = slices.Clone(t.did.Events), t.did.Drew
	n := clientNode{first: int32(len(l.ways)), wants: t.did.Wants, ran: 1}
	if w.quiet {
		n.ran = enoughDraws
	}
	to, merged := int32(0), false
	if !asked { // its views do not tell what it drew
		to, merged = l.sameNode(&w, &n)
	}
	if merged {
		l.merging.merged++
		t.Close()
		w.to = to
		return l.join(w), nil
	}
	w.to = int32(len(l.nodes))
	l.nodes = append(l.nodes, n)
	id := l.join(w)
	stays, err := l.lookForSpin(w.to, t.Code)
	if err != nil {
		return 0, err
	}
	if stays && !over(n.wants, w.events) {
		l.wait(w.to, t.Code)
	} else {
		t.Close()
	}
	return id, nil
}

// tripOver returns a trip over a new way: of a run that waits where it begins, or a new one.
func (l *learner) tripOver(w *way) *trip {
	t := &trip{}
	if s, ok := l.waitsAt(w.from); ok {
		t.Code, t.waited = s, true
	} else {
		t.Code = l.start()
		t.path, t.shortest = l.farPath(w.from)
		if l.subject.KeepsTime() {
			t.told = max(0, len(t.path)-1) // where the new way begins is compared
		}
	}
	t.path = append(t.path, w)
	return t
}

// join adds a way between two nodes.
func (l *learner) join(w way) (id int32) {
	id = int32(len(l.ways))
	l.ways = append(l.ways, w)
	l.nodes[w.from].out = append(l.nodes[w.from].out, id)
	l.nodes[w.to].in = append(l.nodes[w.to].in, id)
	return id
}

// waitsAt returns a run that waits at a node, if there is one.
func (l *learner) waitsAt(node int32) (program.Code, bool) {
	for i, w := range l.waiting {
		if w.node == node {
			l.waiting = append(l.waiting[:i], l.waiting[i+1:]...)
			return w.Code, true
		}
	}
	return nil, false
}

// pathTo returns the path of a node.
func (l *learner) pathTo(node int32) (p path) {
	for n := node; n > 0; n = l.before(n) {
		p = append(p, l.wayTo(n))
	}
	slices.Reverse(p)
	return p
}

// wait keeps a run at its node for later use, if there is room. A search goes on
// from nodes in the order in which it has found them, so the oldest run is the
// next to be used, unless it has waited for so long that it never will be.
func (l *learner) wait(node int32, s program.Code) {
	if len(l.waiting) == l.maxWaiting() {
		if len(l.ways)-l.waiting[0].since < patience*l.maxWaiting() {
			s.Close()
			return
		}
		l.waiting[0].Close()
		l.waiting = append(l.waiting[:0], l.waiting[1:]...)
	}
	l.waiting = append(l.waiting, waiting{node, len(l.ways), s})
}

// patience times the number of runs that may wait is for how many ways one waits
// that others would make room for.
const patience = 16
