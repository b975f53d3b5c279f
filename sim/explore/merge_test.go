package explore

import (
	"testing"
)

// alike says whether the client's code behaves the same from two nodes on,
// whatever it is told that it has ever been told, so many times in a row.
func alike(t *testing.T, l *learner, a, b int32, times int) bool {
	t.Helper()
	x, y := &l.nodes[a], &l.nodes[b]
	if x.dead != y.dead || x.done != y.done || describe(x.threads, nil) != describe(y.threads, nil) {
		return false
	}
	if times == 0 || a == b {
		return true
	}
	for thread := range x.threads {
		if x.dead || x.threads[thread].Ended {
			continue
		}
		for _, o := range l.heard.words[asked(thread, &l.nodes[a].threads[thread])] {
			nextA, err := l.after(a, thread, o)
			if err != nil {
				t.Fatal(err)
			}
			nextB, err := l.after(b, thread, o)
			if err != nil {
				t.Fatal(err)
			}
			if describe(nil, l.nodes[nextA].events) != describe(nil, l.nodes[nextB].events) || !alike(t, l, nextA, nextB, times-1) {
				return false
			}
		}
	}
	return true
}

// TestMergedNodesBehaveAlike: what is merged has the same future, however small
// the part of the tries that had been seen when they were merged.
func TestMergedNodesBehaveAlike(t *testing.T) {
	merged := 0
	for _, tt := range []struct{ lock, hazard string }{
		{"setnx", "lost-reply"}, {"get-then-del", "lost-reply"}, {"get-then-del", "overrun"}, {"fenced", "overrun"}, {"reentrant-counter", "reentry"},
	} {
		for states := 1; states < 400; states += 1 + states/3 {
			merged += checkMerged(t, tt.lock, tt.hazard, states)
		}
	}
	if merged < 100 {
		t.Errorf("only %d nodes were merged", merged)
	}
}

// checkMerged explores so many states, merges, and returns how many nodes it
// has compared with those that stand for them.
func checkMerged(t *testing.T, id, hazard string, states int) (merged int) {
	h, _ := FindHazard(hazard)
	lock := lockOf(t, id)
	p := newParts(t.Context(), h.Config(lock, "A", "B"), lock.Subject)
	defer p.close()
	h.Bounds.Depth = 2
	for range 12 { // a part of each level
		h.Bounds.States, h.Bounds.Depth = states, h.Bounds.Depth+2
		if _, err := explore(t.Context(), p, h.Bounds, Options{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.merge(); err != nil {
		t.Fatal(id, hazard, err)
	}
	for _, l := range p.learners[:2] {
		for node, class := range l.classes {
			if class == int32(node) {
				continue
			}
			merged++
			if !alike(t, l, int32(node), class, 10) {
				t.Errorf("%s, %s, %d states: nodes %d and %d are merged and do not behave alike", id, hazard, states, node, class)
			}
		}
	}
	return merged
}

// TestTooLargeToMerge: a client that asks for the time at every turn is
// explored as it is, and that is said.
func TestTooLargeToMerge(t *testing.T) {
	h, _ := FindHazard("client-clock")
	h.Bounds.States = 10_000
	r, err := Check(t.Context(), h, lockOf(t, "redlock"), Options{Merge: true}, "A", "B")
	if err != nil || r.Merged || r.States == 0 {
		t.Errorf("merged %t, %d states, %v", r.Merged, r.States, err)
	}
}
