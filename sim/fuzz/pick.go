package fuzz

import (
	"math/rand/v2"

	"lockstep/internal/lang"
	"lockstep/sim/explore"
	"lockstep/sim/history"
)

// Picking is a way to pick the next action.
type Picking string

// The Pickings.
const (
	PCT  Picking = "pct"  // random priorities that change at a few random moments; see pct
	Walk Picking = "walk" // all allowed actions are equally likely
	URW  Picking = "urw"  // actors with more remaining steps are more likely; see urw
)

// Pickings lists all Pickings in the order of the help.
func Pickings() []Picking {
	return []Picking{PCT, Walk, URW}
}

// A picker picks the next action in one run.
type picker interface {
	// pick returns the index of one of the actions, of which there is at least
	// one. Only its actor acts.
	pick(actions []history.Action) int
}

// A gauge measures runs: the maxima over them.
type gauge struct {
	actors  int           // in one run: the actors that could act
	choices int           // in one run: the moments at which more than one actor could act
	steps   map[actor]int // in one run, by strand
}

// widen adds another gauge.
func (g *gauge) widen(o gauge) {
	g.actors, g.choices = max(g.actors, o.actors), max(g.choices, o.choices)
	if g.steps == nil {
		g.steps = map[actor]int{}
	}
	for who, n := range o.steps {
		g.steps[who] = max(g.steps[who], n)
	}
}

// newPicker returns the picker of a run within b, with the gauge of earlier
// runs.
func (o *Options) newPicker(b explore.Bounds, g gauge, rng *rand.Rand) picker {
	switch o.Pick {
	case PCT:
		return newPCT(o.BugDepth, g.choices, rng)
	case URW:
		return &urw{bounds: b, most: g.steps, steps: map[actor]int{}, rng: rng}
	}
	return walk{rng}
}

// walk is the uniform random walk.
type walk struct{ rng *rand.Rand }

func (w walk) pick(actions []history.Action) int { return w.rng.IntN(len(actions)) }

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

// check returns an error for invalid options.
func (o *Options) check() error {
	switch {
	case o.Pick != PCT && o.Pick != Walk && o.Pick != URW:
		return lang.Errorf("hunt: no way to pick is called %q; %s, %s and %s are", o.Pick, PCT, Walk, URW)
	case o.Runs < 1:
		return lang.Errorf("hunt: %d runs; use at least 1", o.Runs)
	case o.Pick == PCT && o.BugDepth < 1:
		return lang.Errorf("hunt: bugs of depth %d; use at least 1", o.BugDepth)
	}
	return nil
}

// swarm draws the bounds of one run: each fault with probability one half, and
// a random part of the budget. With all faults, failures come early and in the
// same ways; see Groce, Zhang, Eide, Chen and Regehr, "Swarm Testing" (ISSTA
// 2012).
func swarm(b explore.Bounds, rng *rand.Rand) explore.Bounds {
	all := b.Faults
	b.Faults = nil
	for _, f := range all {
		if rng.IntN(2) == 0 {
			b.Faults = append(b.Faults, f)
		}
	}
	b.Budget = rng.IntN(b.Budget + 1)
	return b
}

// urw is the uniform random walk over interleavings, SURW without its selection
// (Zhao, Wolff, Mathur and Roychoudhury, "Selectively Uniform Concurrency
// Testing", ASPLOS 2025). It picks an actor with a probability proportional to
// its remaining steps. If these were known and no actor waited for another, all
// interleavings would be equally likely; a walk prefers those in which actors
// with fewer steps finish early.
//
// It estimates the remaining steps of a strand: the maximum over earlier runs
// minus those of this run, and at least one. Time has the remaining ticks. All
// faults together have the remaining budget, in equal parts.
type urw struct {
	bounds explore.Bounds
	spent  explore.Spending
	most   map[actor]int // read-only
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

// weights returns the actions' weights, multiplied by the number of faults so
// that a fault's share is an integer.
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
	return len(weights) - 1 // unreachable
}
