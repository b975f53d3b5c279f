package model

import (
	"context"
	"slices"

	"lockstep/internal/lang"
)

// This file lets real code go the ways that were merged. Where several ways lead
// to a node, each pair of one of them, the first too, and a kind of way that can follow it,
// sooner or later, is in at least one run, so that a run differs where the code has
// remembered an order that it was assumed to forget. The first way needs its runs
// as well: what follows may have been learned by another path, which meets this one
// further on. That is pairwise testing: a difference that shows only by three ways
// together may escape it.

// A bitset is a set of ways.
type bitset []uint64

func (b bitset) has(n int32) bool { return int(n>>6) < len(b) && b[n>>6]>>(n&63)&1 == 1 }

func (b *bitset) add(n int32) {
	for int(n>>6) >= len(*b) {
		*b = append(*b, 0)
	}
	(*b)[n>>6] |= 1 << (n & 63)
}

// verifyMerges lets code go the joining ways, until ctx ends. An error wraps ErrRemembers
// if it acts differently.
func (l *learner) verifyMerges(ctx context.Context) error {
	v := verifier{learner: l, turn: make([]int, len(l.nodes))}
	for _, walk := range v.tries(ctx) {
		if ctx.Err() != nil {
			break
		}
		if err := v.try(walk); err != nil && ctx.Err() == nil {
			return err
		}
	}
	if ctx.Err() != nil { // it proves nothing, and the last walk may have been cut short
		clear(l.merging.covered)
	}
	return nil
}

// A verifier chooses walks: sequences of ways from the root.
type verifier struct {
	*learner
	turn []int // by node: the next way to it for a walk
}

// tries chooses the walks that verify the joining ways, until ctx ends, and notes what they
// cover.
func (v *verifier) tries(ctx context.Context) (list [][]int32) {
	v.coverPaths()
	// The latest first, so that the ways before them take turns.
	for id := int32(len(v.ways)) - 1; id >= 0; id-- {
		if !v.joins(id) {
			continue
		}
		for walk := v.walkOver(id); walk != nil && ctx.Err() == nil; walk = v.walkOver(id) {
			list = append(list, walk)
			v.coverAll(walk)
		}
	}
	return list
}

// along returns a walk as a path.
func (l *learner) along(walk []int32) (p path) {
	for _, id := range walk {
		p = append(p, &l.ways[id])
	}
	return p
}

// joins reports whether ways with equal views lead to the node of a way. A round of code
// that spins only leads back to its own.
func (l *learner) joins(id int32) bool {
	n := &l.nodes[l.ways[id].to]
	return len(n.in) > 1 && n.views != nil
}

// walkOver returns a walk over a joining way and ways that have not followed it
// yet; nil if there are none.
func (v *verifier) walkOver(id int32) []int32 {
	walk := []int32{id}
	for on := v.nearest(id, v.ways[id].to); on != nil; on = v.nearest(id, v.ways[walk[len(walk)-1]].to) {
		walk = append(walk, on...)
		v.cover(id, on)
	}
	if len(walk) == 1 {
		return nil
	}
	return v.fromRoot(walk)
}

// kind returns the same number for ways on which the same strand observes the same after the
// same past of its own. Those to a node that is not merged have one each.
func (v *verifier) kind(id int32) int32 {
	w := &v.ways[id]
	if views := v.nodes[w.to].views; views != nil {
		return 2 * views[w.strand]
	}
	return 2*id + 1
}

// covered reports whether a way of the kind of another has followed a joining way.
func (v *verifier) covered(id, next int32) bool {
	return v.merging.covered[id].has(v.kind(next))
}

// cover notes what has followed a joining way.
func (v *verifier) cover(id int32, walk []int32) {
	set := v.merging.covered[id]
	for _, next := range walk {
		set.add(v.kind(next))
	}
	v.merging.covered[id] = set
}

// nearest returns the shortest sequence of ways from a node to one that has not
// followed a joining way yet.
func (v *verifier) nearest(id, node int32) []int32 {
	by := map[int32]int32{node: noWay} // the way by which a node is reached
	for list := []int32{node}; len(list) > 0; list = list[1:] {
		n := list[0]
		for _, next := range v.nodes[n].out {
			if !v.covered(id, next) {
				path := []int32{next}
				for b := by[n]; b != noWay; b = by[v.ways[b].from] {
					path = append(path, b)
				}
				slices.Reverse(path)
				return path
			}
			to := v.ways[next].to
			if _, seen := by[to]; !seen {
				by[to] = next
				list = append(list, to)
			}
		}
	}
	return nil
}

// fromRoot returns a walk that goes on as another. To each node it takes the way that most
// of what follows has not followed yet, and each in turn if they are equal.
func (v *verifier) fromRoot(walk []int32) []int32 {
	slices.Reverse(walk) // the last way first
	for node := v.ways[walk[len(walk)-1]].from; node != 0; node = v.ways[walk[len(walk)-1]].from {
		in := v.nodes[node].in
		best, most := int32(0), -1
		for i := range in {
			id := in[(v.turn[node]+i)%len(in)]
			if n := v.uncovered(id, walk); n > most {
				best, most = id, n
			}
		}
		v.turn[node]++
		walk = append(walk, best)
	}
	slices.Reverse(walk)
	return walk
}

// uncovered counts the ways that have not followed a joining way yet.
func (v *verifier) uncovered(id int32, walk []int32) (n int) {
	if !v.joins(id) {
		return 0
	}
	for _, next := range walk {
		if !v.covered(id, next) {
			n++
		}
	}
	return n
}

// coverAll notes what a walk covers.
func (v *verifier) coverAll(walk []int32) {
	for i, id := range walk {
		if v.joins(id) {
			v.cover(id, walk[i+1:])
		}
	}
}

// coverPaths notes what learning covers: the path of each node by which code has run.
func (v *verifier) coverPaths() {
	for _, n := range v.nodes[1:] {
		for id := v.nodes[v.ways[n.first].from].first; id != noWay; id = v.nodes[v.ways[id].from].first {
			if v.joins(id) {
				v.cover(id, []int32{n.first})
			}
		}
	}
}

// try lets code try. An error wraps ErrRemembers if it acts differently than before. The
// want of the clock strand, which is dear, is compared once after each way.
func (v *verifier) try(walk []int32) error {
	v.merging.runs++
	s := v.start()
	defer s.Close()
	p := v.along(walk)
	gone, did, err := v.retrace(s, p, 0, func(i int) bool { return !v.merging.clocked.has(walk[i]) })
	for _, id := range walk[:gone] {
		v.merging.clocked.add(id)
	}
	joined := slices.ContainsFunc(walk[:gone], v.joins)
	switch {
	case gone == len(p):
		return nil
	case err == nil:
		err = v.diverged(p[gone], did)
	case v.subject.Start == nil:
		v.stuck = err
		return err
	default: // it shows again without merging if it has another cause
		joined = true
	}
	if joined {
		err = lang.Errorf("%w: %w", ErrRemembers, err)
	}
	return err
}
