package model

import (
	"context"
	"encoding/binary"
	"slices"

	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/program"
)

// A learner stores one client as a trie, except for code that spins (spin.go).
// A node stands for a sequence of observations, and stores what each strand is
// about to do. Real code runs only to learn a new node: it gets the same
// observations from the start, or continues from a node where it waits.
type learner struct {
	ctx     context.Context // see world.World.Within
	config  history.Config
	subject program.Subject
	name    string
	nodes   []clientNode
	kids    map[string]int32  // by node, strand and observation
	rounds  map[int32][]int32 // for each node of a spinning round: the nodes after it, up to itself
	// straight disables the detection of code that spins.
	straight bool
	key      []byte
	runs     int // of real code
	// Runs of real code that wait at a node, the latest last.
	waiting []waiting
	// stuck is the error of code that did not reach the seam. It ends the
	// learning: each further try would leak a goroutine and delay the caller.
	stuck error
}

// maxWaiting bounds the waiting runs of a client.
const maxWaiting = 256

// A waiting is a run of a client's code that waits at a node.
type waiting struct {
	node int32
	solo program.Code
}

type clientNode struct {
	parent      int32
	strand      int
	saw         sim.Observation
	wants       []sim.Want
	events      []history.Event // the events of the code on the way here
	twice       bool            // a second run has been here and did the same
	leavesAfter int             // the number of observations after which code leaves what seems a round
}

// over reports whether nothing can follow: all code has returned or panicked.
func (n *clientNode) over() bool {
	return !slices.ContainsFunc(n.wants, func(w sim.Want) bool { return !w.Ended }) ||
		slices.ContainsFunc(n.events, func(e history.Event) bool { return e.Kind == history.Panic })
}

// did reports whether code that reached the node emitted these events and has
// these wants.
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

// Die is sim.Program's. The model never asks a dead client again.
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

// close ends all waiting runs.
func (l *learner) close() {
	for _, w := range l.waiting {
		w.solo.Close()
	}
	l.waiting = nil
}

// after returns the node after an observation.
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

// keyOf returns the key of a child in kids, valid until the next call.
func (l *learner) keyOf(node int32, strand int, o sim.Observation) []byte {
	l.key = binary.AppendVarint(binary.AppendVarint(l.key[:0], int64(node)), int64(strand))
	l.key = o.Append(l.key)
	return l.key
}

// learn runs the client's code to a new node.
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

// observe continues a run.
func (l *learner) observe(s program.Code, strand int, o sim.Observation) ([]history.Event, error) {
	_, events, err := s.Observe(0, strand, o)
	if err != nil {
		l.stuck = err
		s.Close()
	}
	return events, err
}

// at returns a run at a node: one that waits there, or a new one, which must do
// the same as earlier runs.
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

// path lists the nodes from the root, without it, to a node.
func (l *learner) path(node int32) (path []int32) {
	for n := node; l.nodes[n].parent >= 0; n = l.nodes[n].parent {
		path = append(path, n)
	}
	slices.Reverse(path)
	return path
}

// wait keeps a run at its node for later use. The oldest one makes room.
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
