package server

import (
	"slices"
	"strings"

	"lockstep/sim/history"
	"lockstep/sim/resp"
)

// A KeyView is one key of one node.
type KeyView struct {
	Node, Key string
	State     history.KeyState
}

// views returns the keys as a history shows them.
func (s NodeState) views() []KeyView {
	views := make([]KeyView, len(s.Keys))
	for i, k := range s.Keys {
		views[i] = KeyView{Key: resp.Printable(k.Key), State: k.State}
	}
	slices.SortFunc(views, byKey)
	return views
}

func byKey(a, b KeyView) int { return strings.Compare(a.Key, b.Key) }

// compareKeys returns the changes between two lists, both sorted by key.
func compareKeys(was, is []KeyView) (changes []history.Change) {
	for i := range is {
		for len(was) > 0 && was[0].Key < is[i].Key {
			changes = append(changes, history.Change{Key: was[0].Key, Before: &was[0].State})
			was = was[1:]
		}
		switch {
		case len(was) == 0 || was[0].Key != is[i].Key:
			changes = append(changes, history.Change{Key: is[i].Key, After: &is[i].State})
			continue
		case was[0].State != is[i].State:
			changes = append(changes, history.Change{Key: is[i].Key, Before: &was[0].State, After: &is[i].State})
		}
		was = was[1:]
	}
	for i := range was {
		changes = append(changes, history.Change{Key: was[i].Key, Before: &was[i].State})
	}
	return changes
}
