package model

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/program"
)

// A learner knows one client as a trie. A node is what the client has observed
// so far; it holds what each thread is about to do. Real code runs only to
// learn a new node, by being told the same observations from the start, or by
// going on where it was left.
type learner struct {
	ctx     context.Context // see world.World.Within
	config  history.Config
	subject program.Subject
	name    string
	nodes   []clientNode
	kids    map[string]int32 // by node, thread and observation
	key     []byte
	runs    int // of real code
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
	solo *program.Coroutine
}

type clientNode struct {
	parent int32
	thread int
	saw    sim.Observation
	wants  []sim.Want
	events []history.Event // what the client's code did on the way here
	twice  bool            // a second run has come by and was the same
}

// over says whether nothing can follow: all code has come to its end, or has
// panicked.
func (n *clientNode) over() bool {
	return !slices.ContainsFunc(n.wants, func(w sim.Want) bool { return !w.Ended }) ||
		slices.ContainsFunc(n.events, func(e history.Event) bool { return e.Kind == history.Panic })
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
	l := &learner{ctx: ctx, config: config, subject: subject, name: name, kids: map[string]int32{}}
	s := l.start()
	l.nodes = []clientNode{{parent: -1, wants: s.Wants(0), twice: true}}
	l.wait(0, s)
	return l
}

func (l *learner) start() *program.Coroutine {
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
func (l *learner) after(node int32, thread int, o sim.Observation) (int32, error) {
	l.key = binary.AppendVarint(binary.AppendVarint(l.key[:0], int64(node)), int64(thread))
	l.key = o.Append(l.key)
	if kid, ok := l.kids[string(l.key)]; ok {
		return kid, nil
	}
	kid, err := l.learn(node, thread, o)
	if err == nil {
		l.kids[string(l.key)] = kid
	}
	return kid, err
}

// ErrNondeterministic says that a client's code did two things on the same
// observations. It may read the real clock, use randomness or the order of a
// map, or talk to something that is not the world's.
var ErrNondeterministic = errors.New("the code of the lock is not deterministic")

// sameWant says whether a strand is about to do the same.
func sameWant(a, b sim.Want) bool {
	return a.Name == b.Name && a.Ended == b.Ended && a.Fresh == b.Fresh && a.Saw == b.Saw && a.Label == b.Label && a.Text == b.Text &&
		a.Node == b.Node && a.Conn == b.Conn && slices.EqualFunc(a.Units, b.Units, sameUnit) &&
		a.Access == b.Access && a.Sleeps == b.Sleeps && a.For == b.For
}

func sameUnit(a, b sim.Unit) bool { return slices.EqualFunc(a.Cmds, b.Cmds, slices.Equal[[]string]) }

// sameEvent says whether the code did the same on the way.
func sameEvent(a, b history.Event) bool {
	return a.Kind == b.Kind && a.Op == b.Op && a.Outcome == b.Outcome && a.Token == b.Token && a.Fence == b.Fence && a.Text == b.Text && a.By == b.By
}

// describe writes what a client is about to do and what it did before.
func describe(wants []sim.Want, events []history.Event) string {
	var b strings.Builder
	for _, w := range wants {
		fmt.Fprintf(&b, "%s %t %t %d %q %d %d %s %+v %t %v; ", w.Name, w.Ended, w.Fresh, w.Saw, w.InFull(), w.Node, w.Conn, appendUnits(nil, w.Units), w.Access, w.Sleeps, w.For)
	}
	for _, e := range events {
		fmt.Fprintf(&b, "%s %s %s %s %d %s %d; ", e.Kind, e.Op, e.Outcome, e.Token, e.Fence, e.Text, e.By)
	}
	return b.String()
}

// learn takes the client's code to a new node.
func (l *learner) learn(node int32, thread int, o sim.Observation) (int32, error) {
	if l.stuck != nil {
		return 0, l.stuck
	}
	s, err := l.at(node)
	if err != nil {
		return 0, err
	}
	events, err := l.observe(s, thread, o)
	if err != nil {
		return 0, err
	}
	n := clientNode{parent: node, thread: thread, saw: o, wants: s.Wants(0), events: slices.Clone(events)}
	l.nodes = append(l.nodes, n)
	id := int32(len(l.nodes) - 1)
	l.wait(id, s)
	return id, nil
}

// observe lets a run go on.
func (l *learner) observe(s *program.Coroutine, thread int, o sim.Observation) ([]history.Event, error) {
	_, events, err := s.Observe(0, thread, o)
	if err != nil {
		l.stuck = err
		s.Close()
	}
	return events, err
}

// at returns a run that has come to a node: one that waits there, or one from
// the start, which must do the same as those that came by before.
func (l *learner) at(node int32) (*program.Coroutine, error) {
	for i, w := range l.waiting {
		if w.node == node {
			l.waiting = append(l.waiting[:i], l.waiting[i+1:]...)
			return w.solo, nil
		}
	}
	return l.repeat(node)
}

// repeat runs the client's code again up to a node that is known.
func (l *learner) repeat(node int32) (*program.Coroutine, error) {
	var path []int32
	for n := node; l.nodes[n].parent >= 0; n = l.nodes[n].parent {
		path = append(path, n)
	}
	s := l.start()
	for i := len(path) - 1; i >= 0; i-- {
		n := &l.nodes[path[i]]
		once, now := l.nodes[n.parent].wants, s.Wants(0)
		if n.thread >= len(now) || now[n.thread].Saw != once[n.thread].Saw || now[n.thread].InFull() != once[n.thread].InFull() {
			return nil, l.diverged(s, len(path)-1-i, describe(once, nil), describe(now, nil))
		}
		events, err := l.observe(s, n.thread, n.saw)
		if err != nil {
			return nil, err
		}
		if n.twice {
			continue
		}
		if now := s.Wants(0); !slices.EqualFunc(now, n.wants, sameWant) || !slices.EqualFunc(events, n.events, sameEvent) {
			return nil, l.diverged(s, len(path)-i, describe(n.wants, n.events), describe(now, events))
		}
		n.twice = true
	}
	return s, nil
}

// diverged ends a run that does not do what one before it did.
func (l *learner) diverged(s *program.Coroutine, told int, once, again string) error {
	s.Close()
	return fmt.Errorf("%w: client %s, told the same %d times over,\nonce  %s\nagain %s", ErrNondeterministic, l.name, told, once, again)
}

// wait keeps a run for whoever goes on from its node. The one that has waited
// longest makes room.
func (l *learner) wait(node int32, s *program.Coroutine) {
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

// maxVerified bounds how many paths are run a second time for no other reason.
const maxVerified = 256

// verify runs the client's code a second time along paths of which only one
// run has been seen, the latest first. What leads to a fork has been seen more
// often than that.
func (l *learner) verify() error {
	verified := 0
	for n := len(l.nodes) - 1; n > 0 && verified < maxVerified; n-- { // leaves come after what leads to them
		if l.nodes[n].twice {
			continue
		}
		verified++
		s, err := l.repeat(int32(n))
		if err != nil {
			return err
		}
		s.Close()
	}
	return nil
}
