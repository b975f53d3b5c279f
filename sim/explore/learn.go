package explore

import (
	"fmt"

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
		s.Observe(n.thread, n.saw)
		if got, want := fmt.Sprint(s.Threads()), fmt.Sprint(n.threads); got != want {
			return 0, fmt.Errorf("client %s acts differently on the same observations:\nonce  %s\nagain %s", l.name, want, got)
		}
	}
	events := s.Observe(thread, o)
	l.nodes = append(l.nodes, clientNode{
		parent: node, thread: thread, saw: o, threads: s.Threads(), events: events, dead: s.Dead(), kids: map[string]int32{},
	})
	return int32(len(l.nodes) - 1), nil
}
