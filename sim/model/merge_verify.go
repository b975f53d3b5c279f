package model

import (
	"context"
	"slices"

	"lockstep/internal/lang"
	"lockstep/sim/program"
)

// This file lets real code go the merged ways. Each pair of a merged way and a
// way that can follow it, sooner or later, is in at least one run, so that a
// run differs where the code has remembered an order that it was assumed to
// forget. That is pairwise testing: a difference that shows only by three ways
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

// verifyMerges lets code go the merged ways, in a circle under each name, until ctx
// ends. An error wraps ErrRemembers if it acts differently.
func (l *learner) verifyMerges(ctx context.Context) error {
	v := verifier{learner: l, turn: make([]int, len(l.nodes))}
	for _, id := range l.merging.merged {
		for walk := v.walkOver(id); walk != nil && ctx.Err() == nil; walk = v.walkOver(id) {
			for place := range v.circle {
				err := v.try(walk, place)
				if ctx.Err() != nil { // it proves nothing, and the walk may be cut short
					return nil
				}
				if err != nil {
					return err
				}
			}
			v.cover(walk)
			v.walked(id, walk)
		}
	}
	return nil
}

// A verifier chooses walks: sequences of ways from the root.
type verifier struct {
	*learner
	turn []int // by node: the next way to it for a walk
}

// isMerged reports whether a way is not the first to its node.
func (l *learner) isMerged(id int32) bool { return l.nodes[l.ways[id].to].first != id }

// walkOver returns a walk over a merged way and ways that have not followed it
// yet; nil if there are none.
func (v *verifier) walkOver(id int32) []int32 {
	on := v.nearest(id, v.ways[id].to)
	if on == nil {
		return nil
	}
	walk := append(v.walkTo(v.ways[id].from), id)
	for on != nil {
		walk = append(walk, on...)
		on = v.nearest(id, v.ways[walk[len(walk)-1]].to)
	}
	return walk
}

// nearest returns the shortest sequence of ways from a node to one that has not
// followed a merged way yet.
func (v *verifier) nearest(id, node int32) []int32 {
	covered := v.merging.covered[id]
	by := map[int32]int32{node: noWay} // the way by which a node is reached
	for list := []int32{node}; len(list) > 0; list = list[1:] {
		n := list[0]
		for _, next := range v.nodes[n].out {
			to := v.ways[next].to
			if v.nodes[to].views == nil {
				continue
			}
			if !covered.has(next) && !v.kept.followed(id, next) {
				path := []int32{next}
				for b := by[n]; b != noWay; b = by[v.ways[b].from] {
					path = append(path, b)
				}
				slices.Reverse(path)
				return path
			}
			if _, seen := by[to]; !seen {
				by[to] = next
				list = append(list, to)
			}
		}
	}
	return nil
}

// walkTo returns a walk to a node. It takes the ways to each node in turn.
func (v *verifier) walkTo(node int32) (walk []int32) {
	for node != 0 {
		in := v.nodes[node].in
		id := in[v.turn[node]%len(in)]
		v.turn[node]++
		walk, node = append(walk, id), v.ways[id].from
	}
	slices.Reverse(walk)
	return walk
}

// cover notes what a walk covers.
func (v *verifier) cover(walk []int32) {
	for i, id := range walk {
		if v.isMerged(id) {
			set := v.merging.covered[id]
			for _, next := range walk[i+1:] {
				set.add(next)
			}
			v.merging.covered[id] = set
		}
	}
}

// try lets code walk under the name at a place of the circle. An error wraps
// ErrRemembers if it acts differently than before.
func (v *verifier) try(walk []int32, place int) error {
	v.merging.runs++
	s := v.startAs(place)
	if sleeper, ok := s.Code.(program.Sleeper); ok {
		defer s.Close()
		return v.tryTogether(sleeper, walk)
	}
	merged := false
	for _, id := range walk {
		err := v.follow(s, &v.ways[id], false)
		if err != nil && v.stuck == nil && merged {
			err = lang.Errorf("%w: %w", ErrRemembers, err)
		}
		if err != nil {
			return err
		}
		merged = merged || v.isMerged(id)
	}
	s.Close()
	return nil
}

// tryTogether is try for code that makes many observations at once. The want of the
// clock strand, which is dear, is compared at the end of a walk, before the clock
// steps, and once after each way.
func (v *verifier) tryTogether(s program.Sleeper, walk []int32) error {
	steps := make([]program.Stride, len(walk))
	for i, id := range walk {
		w := &v.ways[id]
		steps[i] = program.Stride{Observed: program.Observed{Strand: w.strand, Observation: w.saw}, Clock: !v.merging.clocked.has(id)}
	}
	did, err := s.Walk(steps)
	if err != nil { // it shows again without merging if it has another cause
		return lang.Errorf("%w: %w", ErrRemembers, err)
	}
	merged := false
	for i, id := range walk {
		merged = merged || v.isMerged(id)
		w := &v.ways[id]
		if !v.acted(w, &did[i]) {
			err := v.diverged(w, true, v.nodes[w.to].wants, did[i].Wants, did[i].Events)
			if merged {
				err = lang.Errorf("%w: %w", ErrRemembers, err)
			}
			return err
		}
		v.merging.clocked.add(id)
	}
	return nil
}

// acted reports whether code did on a way what it did before, as far as Walk tells.
func (v *verifier) acted(w *way, d *program.Did) bool {
	if clock := &d.Wants[program.TimerStrand]; clock.Name == "" {
		*clock = v.nodes[w.to].wants[program.TimerStrand]
	}
	return v.did(w, d.Wants, d.Events)
}
