package fuzz

import "lockstep/sim/history"

// A picker picks the next action in one run.
type picker interface {
	// pick returns the index of one of the actions, of which there is at least
	// one. Only its actor acts.
	pick(actions []history.Action) int
}

// inTurn picks the strand with the fewest steps so far, and lets time pass if
// no strand can step. It measures a first run.
type inTurn struct{ steps map[actor]int }

func (t inTurn) pick(actions []history.Action) int {
	next := 0 // steps come first in the list
	for i, a := range actions {
		if a.Verb == history.Step && t.steps[actorOf(a)] < t.steps[actorOf(actions[next])] {
			next = i
		}
	}
	t.steps[actorOf(actions[next])]++
	return next
}
