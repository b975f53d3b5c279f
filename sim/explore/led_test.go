package explore

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"lockstep/sim"
	"lockstep/sim/history"
)

// A led explorer follows a walk.
type led struct {
	*search
	tuple  []int32
	orphan *orphanFinder
}

func lead(t *testing.T, w *wilderness) *led {
	e := newSearch(t.Context(), w.parts, w.bounds, Options{})
	f := &orphanFinder{search: e, known: map[string]bool{}, futures: map[string]future{}, acquires: map[int32]bool{}}
	return &led{e, e.first(), f}
}

// next calls do with everything that can follow where the explorer is.
func (l *led) next(t *testing.T, do func(s *successor, faulty bool)) {
	t.Helper()
	for _, faulty := range []bool{false, true} {
		if faulty && l.faultsOf(l.tuple) == l.bounds.Budget {
			return
		}
		if ok, err := l.learner().successors(l.tuple, faulty); !ok || err != nil {
			t.Fatal(ok, err)
		}
		for i := range l.learner().next {
			do(&l.learner().next[i], faulty)
		}
	}
}

func (l *led) offered(t *testing.T) string {
	t.Helper()
	var actions []history.Action
	l.next(t, func(s *successor, _ bool) { actions = append(actions, l.verbs.list[s.action]) })
	return texts(actions)
}

// take follows an action and returns what it violates.
func (l *led) take(t *testing.T, a history.Action) string {
	t.Helper()
	var to []int32
	var found []history.Violation
	l.next(t, func(s *successor, faulty bool) {
		if l.verbs.list[s.action] == a {
			to, found = l.follow(nil, l.tuple, s, faulty), l.foundAt(l.monitorOf(l.tuple), s)
		}
	})
	l.tuple = to
	return idsOf(found)
}

func (l *led) recovers(t *testing.T) bool {
	t.Helper()
	ok, err := l.orphan.tupleRecovers(l.tuple[:len(l.config.Clients)+1])
	if err != nil {
		t.Fatal(err)
	}
	return ok
}

// state writes the time and what the nodes store, as stateOf does.
func (l *led) state() string {
	env := l.envs.list[l.tuple[len(l.config.Clients)]]
	text := fmt.Sprintln(env.now)
	for i, id := range env.nodes {
		for _, k := range l.nodes.list[id].Keys {
			text += fmt.Sprintln(sim.NodeName(i), k.Key, k.State)
		}
	}
	return text
}

func stateOf(w *sim.World) string {
	text := fmt.Sprintln(w.Now())
	for _, k := range w.Keys() {
		text += fmt.Sprintln(k.Node, k.Key, k.State)
	}
	return text
}

func texts(actions []history.Action) string {
	var words []string
	for _, a := range actions {
		words = append(words, fmt.Sprintf("%+v", a))
	}
	slices.Sort(words)
	return strings.Join(words, "\n")
}

func idsOf(found []history.Violation) string {
	text := ""
	for _, v := range found {
		text += " " + v.Invariant
	}
	return text
}
