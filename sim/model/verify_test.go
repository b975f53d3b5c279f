package model

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// graph returns a learner with random ways between nodes, of which one is in a round. Its one
// strand has some views at several nodes.
func graph(random *rand.Rand) *learner {
	l := &learner{nodes: []clientNode{{first: noWay, views: []int32{0}}}}
	l.merging.covered = map[int32]bitset{}
	for range 40 {
		w := way{from: int32(random.IntN(len(l.nodes)))}
		w.to = w.from + int32(1+random.IntN(8)) // as nodes are learned in the order of their paths
		if int(w.to) >= len(l.nodes) {
			w.to = int32(len(l.nodes))
			l.nodes = append(l.nodes, clientNode{first: int32(len(l.ways)), views: []int32{random.Int32N(20)}})
		} else if l.nodes[w.to].views == nil {
			continue // it is not merged
		}
		l.join(w)
		if len(l.ways) == 20 {
			l.nodes[w.to].views = nil
			l.join(way{from: w.to, to: w.to})
		}
	}
	return l
}

// TestPairs: each way that joins others and each kind of way that can follow it are on one walk,
// or were when code ran to learn one of that kind.
func TestPairs(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	pairs := 0
	for range 200 {
		l := graph(random)
		v := verifier{learner: l, turn: make([]int, len(l.nodes))}
		alike := func(next int32) int32 { // the view of the one strand after it; the way itself if there is none
			if views := l.nodes[l.ways[next].to].views; views != nil {
				return views[0]
			}
			return -1 - next
		}
		together := map[[2]int32]bool{}
		note := func(walk []int32) {
			for i, id := range walk {
				for _, next := range walk[i+1:] {
					together[[2]int32{id, alike(next)}] = true
				}
			}
		}
		for n := range l.nodes {
			var path []int32
			for _, w := range l.pathTo(int32(n)) {
				path = append(path, l.nodes[w.to].first)
			}
			note(path)
		}
		for _, walk := range v.tries(t.Context()) {
			at := int32(0)
			for _, id := range walk {
				if l.ways[id].from != at {
					t.Fatalf("%v: way %d does not begin at node %d", walk, id, at)
				}
				at = l.ways[id].to
			}
			note(walk)
		}
		for id := range int32(len(l.ways)) {
			after := []int32{l.ways[id].to}
			for i := 0; i < len(after) && l.joins(id); i++ {
				for _, next := range l.nodes[after[i]].out {
					if pairs++; !together[[2]int32{id, alike(next)}] {
						t.Fatalf("no walk has a way like %d after %d", next, id)
					}
					if to := l.ways[next].to; !slices.Contains(after, to) {
						after = append(after, to)
					}
				}
			}
		}
		if again := v.tries(t.Context()); len(again) > 0 {
			t.Errorf("then %d more", len(again))
		}
	}
	if pairs < 1000 {
		t.Errorf("only %d pairs", pairs)
	}
}
