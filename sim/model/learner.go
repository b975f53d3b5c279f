package model

import (
	"context"
	"encoding/binary"
	"slices"

	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/program"
)

// A learner knows one client as a trie, but for code that spins (spin.go). A
// node is what the client has observed so far; it holds what each strand is
// about to do. Real code runs only to learn a new node, by being told the same
// observations from the start, or by going on where it was left.
type learner struct {
	ctx     context.Context // see world.World.Within
	config  history.Config
	subject program.Subject
	name    string
	nodes   []clientNode
	kids    map[string]int32  // by node, strand and observation
	rounds  map[int32][]int32 // of code that spins, by each of its nodes: those that follow, and itself
	// straight learns code that spins like any other.
	straight bool
	key      []byte
	runs     int // of real code
	// What runs of real code wait at, the latest last.
	waiting []waiting
	// stuck says that its code did not come to the seam. Nothing more is learnt
	// then: each try would keep a goroutine for ever, and everybody waiting.
	stuck error
}

// maxWaiting bounds how many runs of a client wait to be gone on with.
const maxWaiting = 256

// A waiting is a run of a client's code that has come to a node.
type waiting struct {
	node int32
	solo program.Code
}

type clientNode struct {
	parent int32
	strand int
	saw    sim.Observation
	wants  []sim.Want
	events []history.Event // what the client's code did on the way here
	twice  bool            // a second run has come by and was the same
	leaves int             // after how many observations code is known to leave what looks like a round
}

// over says whether nothing can follow: all code has come to its end, or has
// panicked.
func (n *clientNode) over() bool {
	return !slices.ContainsFunc(n.wants, func(w sim.Want) bool { return !w.Ended }) ||
		slices.ContainsFunc(n.events, func(e history.Event) bool { return e.Kind == history.Panic })
}

// did says whether who came to the node did that on the way and is about to do
// that.
func (n *clientNode) did(wants []sim.Want, events []history.Event) bool {
	return slices.EqualFunc(wants, n.wants, sameWant) && slices.EqualFunc(events, n.events, sameEvent)
}

// Wants is sim.Program's.
func (l *learner) Wants(at sim.Ref) []sim.Want { return l.nodes[at].wants }

// Observe is sim.Program's.
func (l *learner) Observe(at sim.Ref, strand int, o sim.Observation) (sim.Ref, []history.Event, error) {
	to, err := l.after(int32(at), strand, o)
	if err != nil {
		return 0, nil, err
	}
	return sim.Ref(to), l.nodes[to].events, nil
}

// Die is sim.Program's: a dead client is never asked again.
func (l *learner) Die() {}

func newLearner(ctx context.Context, config history.Config, subject program.Subject, name string) *learner {
	l := &learner{ctx: ctx, config: config, subject: subject, name: name, kids: map[string]int32{}, rounds: map[int32][]int32{}}
	s := l.start()
	l.nodes = []clientNode{{parent: -1, wants: s.Wants(0), twice: true}}
	l.wait(0, s)
	return l
}

func (l *learner) start() program.Code {
	l.runs++
	s := program.New(l.config, l.subject, l.name)
	s.Within(l.ctx)
	return s
}

// close ends all runs.
func (l *learner) close() {
	for _, w := range l.waiting {
		w.solo.Close()
	}
	l.waiting = nil
}

// after returns the node that an observation leads to.
func (l *learner) after(node int32, strand int, o sim.Observation) (int32, error) {
	if kid, ok := l.kids[string(l.keyOf(node, strand, o))]; ok {
		return kid, nil
	}
	kid, err := l.learn(node, strand, o)
	if err == nil {
		l.kids[string(l.keyOf(node, strand, o))] = kid
	}
	return kid, err
}

// keyOf writes what kids are found by. It is good until the next is asked for.
func (l *learner) keyOf(node int32, strand int, o sim.Observation) []byte {
	l.key = binary.AppendVarint(binary.AppendVarint(l.key[:0], int64(node)), int64(strand))
	l.key = o.Append(l.key)
	return l.key
}

// learn takes the client's code to a new node.
func (l *learner) learn(node int32, strand int, o sim.Observation) (int32, error) {
	if l.stuck != nil {
		return 0, l.stuck
	}
	s, err := l.at(node)
	if err != nil {
		return 0, err
	}
	events, err := l.observe(s, strand, o)
	if err != nil {
		return 0, err
	}
	n := clientNode{parent: node, strand: strand, saw: o, wants: s.Wants(0), events: slices.Clone(events)}
	l.nodes = append(l.nodes, n)
	id := int32(len(l.nodes) - 1)
	stays, err := l.lookForSpin(id, s)
	if err != nil {
		return 0, err
	}
	if stays {
		l.wait(id, s)
	} else {
		s.Close()
	}
	return id, nil
}

// observe lets a run go on.
func (l *learner) observe(s program.Code, strand int, o sim.Observation) ([]history.Event, error) {
	_, events, err := s.Observe(0, strand, o)
	if err != nil {
		l.stuck = err
		s.Close()
	}
	return events, err
}

// at returns a run that has come to a node: one that waits there, or one from
// the start, which must do the same as those that came by before.
func (l *learner) at(node int32) (program.Code, error) {
	for i, w := range l.waiting {
		if w.node == node {
			l.waiting = append(l.waiting[:i], l.waiting[i+1:]...)
			return w.solo, nil
		}
	}
	s := l.start()
	if sleeper, ok := s.(program.Sleeper); ok {
		for _, to := range l.path(node) {
			sleeper.Told(l.nodes[to].strand, l.nodes[to].saw)
		}
		return s, nil
	}
	return s, l.lead(s, node, true)
}

// path lists the nodes that lead to one, and it, but not the first.
func (l *learner) path(node int32) (path []int32) {
	for n := node; l.nodes[n].parent >= 0; n = l.nodes[n].parent {
		path = append(path, n)
	}
	slices.Reverse(path)
	return path
}

// wait keeps a run for whoever goes on from its node. The one that has waited
// longest makes room.
func (l *learner) wait(node int32, s program.Code) {
	if l.nodes[node].over() {
		s.Close()
		return
	}
	if len(l.waiting) == maxWaiting {
		l.waiting[0].solo.Close()
		l.waiting = append(l.waiting[:0], l.waiting[1:]...)
	}
	l.waiting = append(l.waiting, waiting{node, s})
}
