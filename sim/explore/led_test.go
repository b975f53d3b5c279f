package explore

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/sim/history"
	"lockstep/sim/world"
)

// A led explorer follows a walk in a real world.
type led struct {
	*search
	at     state
	orphan *orphanFinder
}

func lead(t *testing.T, w *wilderness) *led {
	e := newSearch(t.Context(), w.model, w.bounds, Options{})
	f := &orphanFinder{search: e}
	return &led{e, e.initial(), f}
}

// next calls do with every transition from the current state.
func (l *led) next(t *testing.T, do func(t *transition, faulty bool)) {
	t.Helper()
	for _, faulty := range []bool{false, true} {
		if faulty && l.at.faults() == l.bounds.Budget {
			return
		}
		next := testkit.Must(l.successors(l.at, faulty))(t)
		for i := range next {
			do(&next[i], faulty)
		}
	}
}

func (l *led) offered(t *testing.T) string {
	t.Helper()
	var actions []history.Action
	l.next(t, func(tr *transition, _ bool) { actions = append(actions, l.Action(tr.action)) })
	return texts(actions)
}

// take follows an action and returns the violations.
func (l *led) take(t *testing.T, a history.Action) string {
	t.Helper()
	var to state
	var found properties
	l.next(t, func(tr *transition, faulty bool) {
		if l.Action(tr.action) == a {
			to, found = l.follow(l.at, tr, faulty), tr.violates
		}
	})
	l.at = to
	return idsOf(found)
}

func (l *led) recovers(t *testing.T) bool {
	t.Helper()
	a := testkit.Must(l.orphan.tupleRecovers(l.at[:len(l.Config.Clients)+1]))(t)
	return a != orphaned
}

// state returns the time and the nodes' keys as stateOf does.
func (l *led) state() string {
	text := fmt.Sprintln(l.Now(l.at.env()))
	for i, n := range l.Nodes(l.at.env()) {
		for _, k := range n.List() {
			text += fmt.Sprintln(history.NodeName(i), k.Key, k.State)
		}
	}
	return text
}

func stateOf(w *world.World) string {
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

func idsOf(found properties) string {
	text := ""
	for which, id := range history.Invariants() {
		if found.has(which) {
			text += " " + id
		}
	}
	return text
}
