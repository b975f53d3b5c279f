package fuzz

import (
	"math/rand/v2"

	"lockstep/sim/explore"
	"lockstep/sim/history"
)

// urw is the uniform random walk over interleavings, the part without
// selection of SURW (Zhao, Wolff, Mathur and Roychoudhury, "Selectively Uniform
// Concurrency Testing", ASPLOS 2025). An actor is picked with a probability
// proportional to what it has yet to do. If that were known, and nobody waited
// for anybody, every interleaving would be equally likely; a walk prefers those
// in which the actors with less to do are done early.
//
// What a strand has yet to do is estimated: the most steps that it took in any
// earlier run, less those it took in this one, and at least one. Time has yet
// to do what is left of the ticks. The faults have yet to do what is left of
// the budget, all of them together, in equal parts.
type urw struct {
	bounds explore.Bounds
	spent  explore.Spending
	most   map[actor]int // is not changed
	steps  map[actor]int
	rng    *rand.Rand
}

func (u *urw) pick(actions []history.Action) int {
	next := u.draw(u.weights(actions))
	a := actions[next]
	u.spent.Add(u.bounds, a)
	u.steps[actorOf(a)]++
	return next
}

// weights are in parts of one event: there are as many parts as faults, so that
// a fault's share is a whole number.
func (u *urw) weights(actions []history.Action) []int {
	parts := 0
	for _, a := range actions {
		if u.bounds.IsFault(a.Verb) {
			parts++
		}
	}
	parts = max(1, parts)
	weights := make([]int, len(actions))
	for i, a := range actions {
		switch {
		case a.Verb.IsTime():
			weights[i] = parts * (u.bounds.Ticks - u.spent.Ticks)
		case u.bounds.IsFault(a.Verb):
			weights[i] = u.bounds.Budget - u.spent.Faults
		default:
			weights[i] = parts * max(1, u.most[actorOf(a)]-u.steps[actorOf(a)])
		}
	}
	return weights
}

func (u *urw) draw(weights []int) int {
	total := 0
	for _, w := range weights {
		total += w
	}
	left := u.rng.IntN(total)
	for i, w := range weights {
		if left -= w; left < 0 {
			return i
		}
	}
	return len(weights) - 1 // not reached
}
