package model

import (
	"errors"
	"slices"
	"time"

	"lockstep/internal/lang"
)

// This file lets real code go the merged ways. In a small automaton, each pair
// of a merged way and a way that can follow it, sooner or later, is in at least
// one run, so that a run differs where the code has remembered what a merged way
// was assumed to make it forget. That is pairwise testing: a difference that
// shows only by three ways together may escape it.

// A bitset is a set of ways.
type bitset []uint64

func (b bitset) has(n int32) bool { return int(n>>6) < len(b) && b[n>>6]>>(n&63)&1 == 1 }

func (b *bitset) add(n int32) {
	for int(n>>6) >= len(*b) {
		*b = append(*b, 0)
	}
	(*b)[n>>6] |= 1 << (n & 63)
}

// verifyMerges lets code go the merged ways. An error wraps ErrForgot if it acts
// differently.
func (l *learner) verifyMerges() error {
	v := verifier{learner: l, turn: make([]int, len(l.nodes))}
	for _, id := range l.merging.merged {
		for walk := v.walkOver(id); walk != nil; walk = v.walkOver(id) {
			if len(l.merging.covered[id]) > 0 && l.merging.runs > l.runsPerMerged()*len(l.merging.merged) {
				break
			}
			at, err := v.try(0, walk)
			if errors.Is(err, ErrForgot) {
				return v.recall(walk[:at+1], err)
			}
			if err != nil {
				return err
			}
			v.cover(walk)
		}
	}
	return nil
}

// runsPerMerged bounds the runs for pairs, on average over the merged ways: in
// a large automaton there are too many pairs. Each way is in a run in any case,
// and that has to do for code that keeps time, whose runs take long.
func (l *learner) runsPerMerged() int {
	if l.subject.KeepsTime() {
		return 0
	}
	return 4
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
	on := v.nearest(id, v.ways[id].to, v.ways[id].saw.Shown)
	if on == nil {
		return nil
	}
	walk := append(v.walkTo(v.ways[id].from, v.ways[id].saw.Shown), id)
	for on != nil {
		walk = append(walk, on...)
		last := &v.ways[walk[len(walk)-1]]
		on = v.nearest(id, last.to, last.saw.Shown)
	}
	return walk
}

// nearest returns the shortest sequence of ways from a node, at a time, to one
// that has not followed a merged way yet.
func (v *verifier) nearest(id, node int32, at time.Time) []int32 {
	covered := v.merging.covered[id]
	by := map[int32]int32{node: noWay} // the way by which a node is reached
	for list := []int32{node}; len(list) > 0; list = list[1:] {
		n := list[0]
		if b := by[n]; b != noWay {
			at = v.ways[b].saw.Shown
		}
		for _, next := range v.nodes[n].out {
			w := &v.ways[next]
			if v.nodes[w.to].memory == nil || v.subject.KeepsTime() && w.saw.Shown.Before(at) {
				continue
			}
			if !covered.has(next) {
				path := []int32{next}
				for b := by[n]; b != noWay; b = by[v.ways[b].from] {
					path = append(path, b)
				}
				slices.Reverse(path)
				return path
			}
			if _, seen := by[w.to]; !seen {
				by[w.to] = next
				list = append(list, w.to)
			}
		}
	}
	return nil
}

// walkTo returns a walk to a node that arrives before a time. It takes the
// ways to each node in turn.
func (v *verifier) walkTo(node int32, before time.Time) (walk []int32) {
	for node != 0 {
		for {
			id := v.nodes[node].in[v.turn[node]%len(v.nodes[node].in)]
			v.turn[node]++
			if w := &v.ways[id]; !v.subject.KeepsTime() || !w.saw.Shown.After(before) {
				walk, node, before = append(walk, id), w.from, w.saw.Shown
				break
			}
		}
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

// try lets code go to a node by its path, and walk from there. An error wraps
// ErrForgot if it acts differently than before; at is the step that shows it.
func (v *verifier) try(from int32, walk []int32) (at int, err error) {
	v.merging.runs++
	s := v.start()
	if err := v.lead(s, from, false); err != nil {
		return 0, err
	}
	merged := false
	for at, id := range walk {
		err := v.follow(s, &v.ways[id], at, false)
		if err != nil && v.stuck == nil && merged {
			err = lang.Errorf("%w: %w", ErrForgot, err)
		}
		if err != nil {
			return at, err
		}
		merged = merged || v.isMerged(id)
	}
	s.Close()
	return 0, nil
}

// recall adds to the Memory what the code remembers, if it acts differently at
// the end of a walk.
func (v *verifier) recall(walk []int32, why error) error {
	for i := len(walk) - 2; i >= 0; i-- {
		w := &v.ways[walk[i]]
		if !v.isMerged(walk[i]) {
			continue
		}
		_, err := v.try(w.from, walk[i:])
		if errors.Is(err, ErrForgot) {
			return v.recallBetween(v.pathTo(w.to), append(v.pathTo(w.from), w), err)
		}
		if err != nil {
			return err
		}
	}
	return lang.Errorf("%w: %w", ErrNondeterministic, why) // it is not because of a merged way
}

// pathTo returns the ways of a node's path.
func (l *learner) pathTo(node int32) (path []*way) {
	for _, n := range l.path(node) {
		path = append(path, l.wayTo(n))
	}
	return path
}

// recallBetween adds to the Memory what tells two paths apart that lead to the
// same node: the kind of observation in which they differ first, or else the
// moments, or else all steps, or else their order.
func (v *verifier) recallBetween(a, b []*way, why error) error {
	m := v.merging.memory
	for i := range min(len(a), len(b)) {
		for _, label := range []string{v.labelOf(a[i]), v.labelOf(b[i])} {
			if !m.Of[label] && v.observed(a, label) != v.observed(b, label) {
				m.Of[label] = true
				return why
			}
		}
	}
	switch {
	case v.subject.KeepsTime() && !m.Moments:
		m.Moments = true
	case !m.Steps:
		m.Steps = true
	default:
		m.Everything = true
	}
	return why
}

func (v *verifier) labelOf(w *way) string { return v.nodes[w.from].wants[w.strand].Label }

// observed returns what wants with a label observed on a path.
func (v *verifier) observed(path []*way, label string) (seen string) {
	for _, w := range path {
		if saw := w.saw; v.labelOf(w) == label {
			if v.subject.KeepsTime() {
				saw.Shown = time.Time{}
			}
			seen += saw.String()
		}
	}
	return seen
}
