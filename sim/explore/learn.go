package explore

import (
	"errors"
	"fmt"
	"strings"

	"lockstep/sim"
	"lockstep/sim/history"
)

// A learner knows one client as a trie. A node is what the client has observed
// so far; it holds what each thread is about to do. Real code runs only to
// learn a new node, by being told the same observations from the start.
type learner struct {
	config  history.Config
	subject sim.Subject
	name    string
	nodes   []clientNode
	runs    int // of real code
}

type clientNode struct {
	parent  int32
	thread  int
	saw     sim.Observation
	threads []sim.Pending
	events  []history.Event // what the client's code did on the way here
	dead    bool            // it panicked
	kids    map[string]int32
}

func newLearner(config history.Config, subject sim.Subject, name string) *learner {
	l := &learner{config: config, subject: subject, name: name}
	s := sim.NewSolo(config, subject, name)
	defer s.Close()
	l.nodes = []clientNode{{parent: -1, threads: s.Threads(), kids: map[string]int32{}}}
	return l
}

// after returns the node that an observation leads to.
func (l *learner) after(node int32, thread int, o sim.Observation) (int32, error) {
	key := fmt.Sprint(thread, " ", o.String())
	if kid, ok := l.nodes[node].kids[key]; ok {
		return kid, nil
	}
	kid, err := l.learn(node, thread, o)
	if err == nil {
		l.nodes[node].kids[key] = kid
	}
	return kid, err
}

// ErrNondeterministic says that a client's code did two things on the same
// observations. It may read the real clock, use randomness or the order of a
// map, or talk to something that is not the world's.
var ErrNondeterministic = errors.New("the code of the lock is not deterministic")

// describe writes what a client is about to do and what it did before.
func describe(threads []sim.Pending, events []history.Event) string {
	var b strings.Builder
	for _, p := range threads {
		fmt.Fprintf(&b, "%s %t %t %d %q %d %d %q %+v %t %v; ", p.Name, p.Ended, p.Fresh, p.Saw, p.Text, p.Node, p.Conn, p.Units, p.Access, p.Sleeps, p.By)
	}
	for _, e := range events {
		fmt.Fprintf(&b, "%s %s %s %s %d; ", e.Kind, e.Op, e.Outcome, e.Text, e.By)
	}
	return b.String()
}

// learn runs the client's code once, up to a new node.
func (l *learner) learn(node int32, thread int, o sim.Observation) (int32, error) {
	l.runs++
	var path []int32
	for n := node; l.nodes[n].parent >= 0; n = l.nodes[n].parent {
		path = append(path, n)
	}
	s := sim.NewSolo(l.config, l.subject, l.name)
	defer s.Close()
	for i := len(path) - 1; i >= 0; i-- {
		n := &l.nodes[path[i]]
		events := s.Observe(n.thread, n.saw)
		if again, once := describe(s.Threads(), events), describe(n.threads, n.events); again != once {
			return 0, fmt.Errorf("%w: client %s, told the same %d times over,\nonce  %s\nagain %s",
				ErrNondeterministic, l.name, len(path)-i, once, again)
		}
	}
	events := s.Observe(thread, o)
	l.nodes = append(l.nodes, clientNode{
		parent: node, thread: thread, saw: o, threads: s.Threads(), events: events, dead: s.Dead(), kids: map[string]int32{},
	})
	return int32(len(l.nodes) - 1), nil
}
