package explore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"lockstep/sim"
)

// This file merges nodes of a client's trie that will never behave differently,
// as bisimulation has it: verdicts and lengths of schedules stay as they are.
// A trie that has been seen in part only must not be merged, because what is
// yet unknown would be taken for equal. So it is closed first: at every node
// the client's code is told everything that it was ever told, anywhere, where
// it was about to do the same. If the exploration then tells a client something
// new, the trie is closed again, and the exploration starts over.

// maxClosed bounds the nodes of a trie that is closed. A client that reads its
// clock again and again has too many.
const maxClosed = 2000

// errTooLarge says that a trie cannot be closed within maxClosed nodes.
var errTooLarge = errors.New("the clients have too many ways to go on")

// An alphabet is what a client was told where it was about to do something.
type alphabet struct {
	words map[string][]sim.Observation // by what it was about to do
	size  int
}

// asked describes what a thread is about to do, for the alphabet.
func asked(thread int, p *sim.Pending) string {
	return fmt.Sprintf("%d %d %d %q %+v", thread, p.Saw, p.Node, p.Units, p.Access)
}

// hear notes what a client is told at a node.
func (l *learner) hear(node int32, thread int, o sim.Observation) {
	key := asked(thread, &l.nodes[node].threads[thread])
	for _, known := range l.heard.words[key] {
		if known.String() == o.String() {
			return
		}
	}
	if l.heard.words == nil {
		l.heard.words = map[string][]sim.Observation{}
	}
	l.heard.words[key] = append(l.heard.words[key], o)
	l.heard.size++
}

// class returns the node that stands for all that are merged with one.
func (l *learner) class(node int32) int32 {
	if int(node) < len(l.classes) {
		return l.classes[node]
	}
	return node
}

// shut tells the client at every node all that it could be told there.
func (l *learner) shut() error {
	for node := int32(0); int(node) < len(l.nodes); node++ {
		for thread := range l.nodes[node].threads {
			if l.nodes[node].dead || l.nodes[node].threads[thread].Ended {
				continue
			}
			for _, o := range l.heard.words[asked(thread, &l.nodes[node].threads[thread])] {
				if _, err := l.after(node, thread, o); err != nil {
					return err
				}
			}
			if len(l.nodes) > maxClosed {
				return errTooLarge
			}
		}
	}
	return nil
}

// minimise merges the nodes of a trie that is closed, from the leaves up: those
// which are about to do the same and, whatever they are told, do the same and
// come to nodes that are merged.
func (l *learner) minimise() {
	l.classes = make([]int32, len(l.nodes))
	first := map[string]int32{}
	class := make([]int32, len(l.nodes))
	for node := len(l.nodes) - 1; node >= 0; node-- { // what follows a node comes after it
		n := &l.nodes[node]
		var next []string
		for told, kid := range n.kids {
			next = append(next, fmt.Sprintf("%q %q %d", told, describe(nil, l.nodes[kid].events), class[kid]))
		}
		slices.Sort(next)
		key := fmt.Sprint(n.dead, n.done, describe(n.threads, nil), strings.Join(next, "\n"))
		if _, known := first[key]; !known {
			first[key] = int32(len(first))
		}
		class[node] = first[key]
	}
	stands := map[int32]int32{}
	for node := range l.nodes {
		if _, known := stands[class[node]]; !known {
			stands[class[node]] = int32(node)
		}
		l.classes[node] = stands[class[node]]
	}
}

// merge closes and merges the tries of all clients.
func (p *parts) merge() error {
	clients := p.learners[:len(p.config.Clients)]
	for _, l := range clients {
		if err := l.shut(); err != nil {
			return err
		}
	}
	for _, l := range clients {
		l.minimise()
	}
	p.acts = map[actKey]move{} // they lead to nodes that may be merged now
	return nil
}

// unmerge forgets all classes.
func (p *parts) unmerge() {
	for _, l := range p.learners {
		l.classes = nil
	}
	p.acts = map[actKey]move{}
}

// heard says how much the clients were told so far.
func (p *parts) heard() (n int) {
	for _, l := range p.learners[:len(p.config.Clients)] {
		n += l.heard.size
	}
	return n
}

// firstPass is after how many states an exploration is given up that has told a
// client something new. Each further one may have four times as many.
const firstPass = 5000

// exploreMerged explores with merged tries, again and again until nothing new
// is heard. Where a trie grows too large, nothing is merged.
func exploreMerged(ctx context.Context, p *parts, b Bounds, o Options) (Report, error) {
	defer p.unmerge()
	if o.pass == 0 {
		o.pass = firstPass
	}
	for ; ; o.pass *= 4 {
		known := p.heard()
		switch err := p.merge(); {
		case errors.Is(err, errTooLarge), errors.As(err, new(*sim.StuckError)):
			p.unmerge()
			o.pass = 0
			return exploreOnce(ctx, p, b, o)
		case err != nil:
			return Report{}, err
		}
		r, err := exploreOnce(ctx, p, b, o)
		if err != nil {
			return Report{}, err
		}
		if p.heard() == known || ctx.Err() != nil {
			r.Merged = true
			return r, nil
		}
	}
}
